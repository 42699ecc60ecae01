import { useState } from "react";
import { GrowingField } from "../../parts/growing-field.tsx";
import { useWords } from "../../state/appearance.ts";

export function AskBackForm({
  agent,
  isSending,
  onSend,
  onCancel,
}: {
  readonly agent: string;
  readonly isSending: boolean;
  readonly onSend: (content: string) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const words = useWords();
  const [text, setText] = useState("");
  return (
    <div className="flex flex-col gap-2">
      <GrowingField
        autoFocus
        value={text}
        aria-label={words.askBack}
        placeholder={words.askBackHint(agent)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim() !== "") {
            event.preventDefault();
            void onSend(text.trim());
          }
          if (event.key === "Escape") onCancel();
        }}
      />
      <div className="flex gap-2">
        <button
          type="button"
          className="button button-primary"
          disabled={isSending || text.trim() === ""}
          onClick={() => void onSend(text.trim())}
        >
          {words.askBack}
        </button>
        <button type="button" className="button button-plain" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </div>
  );
}
