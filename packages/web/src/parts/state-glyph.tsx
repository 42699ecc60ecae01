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
  resting: "○",
  interrupted: "◇",
};

const COLOURS: Partial<Record<State, string>> = {
  working: "text-accent working",
  asking: "text-await",
  dead: "text-fail",
  stopped: "text-muted",
};

/** A state is never colour alone. */
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

const KIND_GLYPHS = { question: "◆", confirmation: "◆", approval: "⛨", limit: "!", fault: "!" } as const;

export function KindGlyph({ kind }: { readonly kind: keyof typeof KIND_GLYPHS }) {
  const words = useWords();
  return (
    <span
      role="img"
      aria-label={words.kinds[kind]}
      title={words.kinds[kind]}
      className={`inline-block w-4 shrink-0 text-center font-semibold leading-none ${kind === "fault" ? "text-fail" : "text-await"}`}
    >
      {KIND_GLYPHS[kind]}
    </span>
  );
}
