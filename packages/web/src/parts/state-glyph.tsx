import { useWords } from "../state/appearance.ts";
import type { Words } from "../words.ts";

export type State = keyof Words["state"];

const GLYPHS: Readonly<Record<State, string>> = {
  working: "●",
  waiting: "◐",
  asking: "◆",
  stopped: "■",
  done: "✓",
  archived: "✓",
  dead: "✕",
  idle: "○",
  interrupted: "◇",
};

const COLOURS: Partial<Record<State, string>> = {
  working: "text-accent working",
  asking: "text-await",
  dead: "text-fail",
  stopped: "text-muted",
};

/** A state is never shown by colour alone. */
export function StateGlyph({ state }: { readonly state: State }) {
  const words = useWords();
  return (
    <span
      role="img"
      aria-label={words.state[state]}
      title={words.state[state]}
      className={`inline-block w-4 text-center leading-none ${COLOURS[state] ?? "text-muted"}`}
    >
      {GLYPHS[state]}
    </span>
  );
}

/** A shield as a drawing: few fonts have the character. */
export const Shield = () => (
  <svg aria-hidden="true" viewBox="0 0 16 16" className="inline-block h-[1em] w-[1em] align-[-0.1em]" fill="currentColor">
    <path d="M8 .8 2.2 3v4.4c0 3.5 2.4 6.3 5.8 7.8 3.4-1.5 5.8-4.3 5.8-7.8V3zM7.1 4.6h1.8V7h2.4v1.8H8.9v2.4H7.1V8.8H4.7V7h2.4z" />
  </svg>
);

const KIND_GLYPHS = { question: "◆", confirmation: "◆", approval: <Shield />, limit: "!", fault: "!" } as const;

export function KindGlyph({ kind, isOver = false }: { readonly kind: keyof typeof KIND_GLYPHS; readonly isOver?: boolean }) {
  const words = useWords();
  return (
    <span
      role="img"
      aria-label={words.kinds[kind]}
      title={words.kinds[kind]}
      className={`inline-block w-4 shrink-0 text-center font-semibold leading-none ${isOver ? "text-muted" : kind === "fault" ? "text-fail" : "text-await"}`}
    >
      {KIND_GLYPHS[kind]}
    </span>
  );
}
