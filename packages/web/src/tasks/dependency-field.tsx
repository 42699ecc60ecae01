import type { TaskView } from "@colloquy/schema";
import { useMemo, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { fitting } from "./task-columns.ts";
import { TaskGlyph } from "./task-glyph.tsx";

const MAX_SHOWN = 40;

/** Selects dependencies. Closed tasks block nothing, so they are listed only if already chosen. */
export function DependencyField({
  tasks,
  self,
  chosen,
  onChoose,
}: {
  readonly tasks: readonly TaskView[];
  readonly self: string | undefined;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}) {
  const words = useWords();
  const [text, setText] = useState("");
  // Chosen tasks come first, and keep their place while others are ticked.
  const [first] = useState(chosen);
  const offered = useMemo(() => {
    const others = tasks.filter(({ id, status }) => id !== self && (status !== "closed" || first.includes(id)));
    return others.toSorted((a, b) => Number(first.includes(b.id)) - Number(first.includes(a.id)));
  }, [tasks, self, first]);
  const shown = fitting(offered, "all", text).slice(0, MAX_SHOWN);
  const toggle = (id: string) => onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset>
      <legend className="mb-1 text-[13px] text-muted">{words.tasks.dependsOn}</legend>
      {offered.length === 0 && <p className="text-[13px] text-muted">{words.tasks.noOthers}</p>}
      {offered.length > 6 && (
        <input
          type="search"
          className="field mb-1"
          aria-label={words.tasks.find}
          placeholder={words.tasks.find}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {offered.length > 0 && (
        <ul className="max-h-44 overflow-y-auto rounded-lg border border-line">
          {shown.map((task) => (
            <li key={task.id} className="border-b border-line last:border-0">
              <label className="flex cursor-pointer items-center gap-2 px-3 py-2 hover:bg-hover">
                <input type="checkbox" className="accent-(--accent)" checked={chosen.includes(task.id)} onChange={() => toggle(task.id)} />
                <TaskGlyph status={task.status} />
                <span className="min-w-0 flex-1 truncate">{task.title}</span>
                <span className="shrink-0 text-xs text-muted">{words.tasks.kinds[task.kind]}</span>
              </label>
            </li>
          ))}
          {shown.length === 0 && <li className="px-3 py-2 text-[13px] text-muted">{words.tasks.noHits}</li>}
        </ul>
      )}
    </fieldset>
  );
}
