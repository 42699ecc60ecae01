import { useState } from "react";
import { useWords } from "../../state/appearance.ts";

/** The title; renamed in place. */
export function DialogTitle({
  title,
  isMain,
  mayRename,
  onRename,
}: {
  readonly title: string;
  readonly isMain: boolean;
  readonly mayRename: boolean;
  readonly onRename: (title: string) => Promise<boolean>;
}) {
  const words = useWords();
  const [draft, setDraft] = useState<string>();
  const Heading = isMain ? "h1" : "h2";
  if (draft === undefined) {
    return (
      <Heading className="truncate font-semibold">
        {mayRename ? (
          <button type="button" className="max-w-full truncate text-left" title={words.dialog.rename} onClick={() => setDraft(title)}>
            {title}
          </button>
        ) : (
          title
        )}
      </Heading>
    );
  }
  const save = async () => {
    const next = draft.trim();
    setDraft(undefined);
    if (next !== "" && next !== title) await onRename(next);
  };
  return (
    <input
      autoFocus
      className="field py-0.5! font-semibold"
      aria-label={words.dialog.rename}
      value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={() => void save()}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter") void save();
        if (event.key === "Escape") setDraft(undefined);
      }}
    />
  );
}
