import type { Ref } from "react";
import { GrowingField } from "../../parts/growing-field.tsx";
import { useWords } from "../../state/appearance.ts";

/** A text answer. The draft is kept until it is sent. */
export function AnswerField({
  ref,
  draft,
  setDraft,
  hasChoices,
  onSend,
}: {
  readonly ref: Ref<HTMLTextAreaElement>;
  readonly draft: string;
  readonly setDraft: (text: string) => void;
  /** True if there are choices above it. */
  readonly hasChoices: boolean;
  readonly onSend: () => void;
}) {
  const words = useWords();
  return (
    <GrowingField
      ref={ref}
      value={draft}
      aria-label={words.yourAnswer}
      aria-keyshortcuts="r"
      placeholder={hasChoices ? words.somethingElse : words.yourAnswerHint}
      className={hasChoices ? "min-h-12 rounded-xl! border-dashed! px-3.5! py-3!" : ""}
      onChange={(event) => setDraft(event.target.value)}
      onKeyDown={(event) => {
        // Keys belong to the input method while it composes.
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          onSend();
        }
        if (event.key === "Escape") event.currentTarget.blur();
      }}
    />
  );
}
