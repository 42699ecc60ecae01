import type { TaskStatus } from "@colloquy/schema";
import { useWords } from "../state/appearance.ts";

const GLYPHS: Readonly<Record<TaskStatus, string>> = { open: "○", in_progress: "●", blocked: "◆", closed: "✓" };
const COLOURS: Readonly<Record<TaskStatus, string>> = {
  open: "text-muted",
  in_progress: "text-accent",
  blocked: "text-await",
  closed: "text-muted",
};

/** A task's state, with the same glyphs as dialogs. */
export function TaskGlyph({ status, isHidden = false }: { readonly status: TaskStatus; readonly isHidden?: boolean }) {
  const words = useWords();
  const label = words.tasks.columns[status];
  const look = `inline-block w-4 shrink-0 text-center leading-none ${COLOURS[status]}`;
  if (isHidden)
    return (
      <span aria-hidden="true" className={look}>
        {GLYPHS[status]}
      </span>
    );
  return (
    <span role="img" aria-label={label} title={label} className={look}>
      {GLYPHS[status]}
    </span>
  );
}
