import { useProject } from "@colloquy/react";
import type { TaskKind } from "@colloquy/schema";
import { useWords } from "../state/appearance.ts";

const KINDS = ["task", "feedback", "prd", "plan"] as const;

/** The kind, and which agents take it. */
export function KindField({
  projectId,
  kind,
  onKind,
}: {
  readonly projectId: string;
  readonly kind: TaskKind;
  readonly onKind: (kind: TaskKind) => void;
}) {
  const words = useWords();
  const { settings } = useProject(projectId);
  const takers = settings?.agents.filter(({ handles }) => handles.includes(kind)).map(({ name }) => name);
  return (
    <fieldset>
      <legend className="mb-1 text-[13px] text-muted">{words.tasks.kind}</legend>
      <div role="radiogroup" aria-label={words.tasks.kind} className="grid grid-cols-2 gap-2 sm:grid-cols-4">
        {KINDS.map((one) => (
          <button
            key={one}
            type="button"
            role="radio"
            aria-checked={kind === one}
            onClick={() => onKind(one)}
            className={`rounded-lg border px-3 py-2 text-left ${kind === one ? "border-accent bg-accent-soft ring-1 ring-accent" : "border-line bg-panel hover:border-edge"}`}
          >
            {words.tasks.kinds[one]}
          </button>
        ))}
      </div>
      <p className="mt-1.5 text-[13px] text-muted">
        {words.tasks.kindHints[kind]} {takers && takers.length > 0 && words.tasks.takenBy(takers)}
        {takers?.length === 0 && (
          <>
            {words.tasks.nobodyTakes}: <code className="font-mono">handles: [{kind}]</code>
          </>
        )}
      </p>
    </fieldset>
  );
}
