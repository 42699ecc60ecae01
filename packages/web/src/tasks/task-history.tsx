import { useProject } from "@colloquy/react";
import type { TaskView } from "@colloquy/schema";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { useNow } from "../state/now.ts";

/** What happened to a task, the last thing first. */
export function TaskHistory({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(60_000);
  const { agentName } = useProject(projectId);
  return (
    <ol reversed aria-label={words.tasks.history} className="flex flex-col gap-1.5 text-[13px]">
      {task.history.toReversed().map(({ at, what, by, why }, nth) => {
        const happened = words.tasks.happened[what] ?? what;
        return (
          <li key={`${at} ${nth}`} className="grid grid-cols-[110px_1fr]">
            <span className="tabular-nums text-muted">{moment(Date.parse(at), now, language)}</span>
            <span className="min-w-0">
              <span className={what === "failed" ? "text-fail" : ""}>
                {by === undefined ? happened : words.tasks.by(happened, agentName(by))}
              </span>
              {why !== undefined && why !== "" && <span className="line-clamp-3 text-muted">{why}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
