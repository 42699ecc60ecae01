import { useWords } from "../../state/appearance.ts";

/** The addressees in order, each with a remove button. */
export function Addressed({
  mentions,
  agentName,
  onRemove,
}: {
  readonly mentions: readonly string[];
  readonly agentName: (id: string) => string;
  readonly onRemove: (id: string) => void;
}) {
  const words = useWords();
  if (mentions.length === 0) return null;
  return (
    <div className="mb-1.5 flex flex-wrap items-center gap-1.5 text-[13px]">
      <span className="text-muted">{words.composer.addressed}</span>
      {mentions.map((id) => (
        <button
          key={id}
          type="button"
          className="rounded-full bg-accent-soft px-2.5 py-0.5 text-accent"
          aria-label={words.composer.remove(agentName(id))}
          onClick={() => onRemove(id)}
        >
          {agentName(id)} ✕
        </button>
      ))}
    </div>
  );
}
