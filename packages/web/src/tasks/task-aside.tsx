import { type DialogState, useDialog, useProject, useTasks } from "@colloquy/react";
import type { TaskView } from "@colloquy/schema";
import type { ReactNode } from "react";
import type { Loaded } from "../dialog/dialog-column.tsx";
import { stateSentence } from "../dialog/state-sentence.ts";
import { PanelSection } from "../dialog/panel/panel-section.tsx";
import { Link } from "../parts/link.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { duration, moment, money, short } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { TaskGlyph } from "./task-glyph.tsx";
import { TaskHistory } from "./task-history.tsx";
import { useAutonomy, useNamedTasks } from "./use-task.ts";

/** A task's dialog, dependencies, autonomy and history. */
export function TaskAside({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const { tasks = [] } = useTasks(projectId);
  const before = useNamedTasks(projectId, task.dependsOn);
  const [rootId] = task.dialogs;
  return (
    <aside aria-label={words.tasks.facts} className="min-w-0">
      <PanelSection title={words.tasks.dialog}>
        {rootId === undefined ? (
          <p className="text-[13px] text-muted">{words.tasks.noDialog}</p>
        ) : (
          <DialogFacts projectId={projectId} rootId={rootId} />
        )}
      </PanelSection>
      <Tasks title={words.tasks.waitsFor} projectId={projectId} tasks={before} />
      <Tasks title={words.tasks.neededBy} projectId={projectId} tasks={tasks.filter(({ dependsOn }) => dependsOn.includes(task.id))} />
      <Tasks title={words.tasks.became} projectId={projectId} tasks={tasks.filter(({ from }) => from === task.id)} />
      <Autonomy projectId={projectId} task={task} />
      <Facts projectId={projectId} task={task} />
      <PanelSection title={words.tasks.history}>
        <TaskHistory projectId={projectId} task={task} />
      </PanelSection>
    </aside>
  );
}

function Tasks({ title, projectId, tasks }: { readonly title: string; readonly projectId: string; readonly tasks: readonly TaskView[] }) {
  if (tasks.length === 0) return null;
  return (
    <PanelSection title={title}>
      <ul aria-label={title} className="flex flex-col">
        {tasks.map((task) => (
          <li key={task.id}>
            <Link to={{ page: "task", projectId, taskId: task.id }} className="flex items-baseline gap-1.5 rounded-md py-1 hover:underline">
              <TaskGlyph status={task.status} />
              <span className="min-w-0 flex-1">{task.title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function DialogFacts({ projectId, rootId }: { readonly projectId: string; readonly rootId: string }) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const dialog: DialogState = useDialog(rootId, projectId);
  if (!dialog.view) return null;
  const { usage, workedMs, state } = dialog.view;
  const spent = [
    duration(workedMs, words),
    words.dialog.tokens(short(usage.tokens)),
    ...(usage.cost === undefined ? [] : [money(usage.cost)]),
  ];
  return (
    <>
      <Link to={{ page: "dialog", projectId, dialogId: rootId }} className="flex items-baseline gap-1.5 hover:underline">
        <StateGlyph state={state} />
        <span className="min-w-0 flex-1">{stateSentence(dialog as Loaded, words, agentName)}</span>
      </Link>
      <p className="mt-1 pl-5.5 text-[13px] tabular-nums text-muted">{spent.join(" · ")}</p>
      <Link
        to={{ page: "timeline", projectId, dialogId: rootId }}
        className="mt-1 inline-block pl-5.5 text-[13px] text-accent hover:underline"
      >
        {words.timeline}
      </Link>
    </>
  );
}

const CLASSES = ["scopeChanges", "architectureDecisions", "dependencyModifications"] as const;

function Autonomy({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const autonomy = useAutonomy(projectId, task);
  if (!autonomy) return null;
  const { hilConfig, from, path, isReadable } = autonomy;
  const where = from === "project" ? words.tasks.fromProject : isReadable ? words.tasks.fromTask : words.tasks.unreadable;
  return (
    <PanelSection title={words.tasks.autonomy}>
      <List rows={CLASSES.map((name) => [words.tasks.classes[name], words.tasks.levels[hilConfig[name]]])} />
      <p className={`mt-1.5 text-xs ${isReadable ? "text-muted" : "text-fail"}`}>
        {where} <code className="font-mono">{path}</code>
      </p>
    </PanelSection>
  );
}

function Facts({ projectId, task }: { readonly projectId: string; readonly task: TaskView }) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const [language] = useLanguage();
  const now = useNow(60_000);
  const time = (at: string) => moment(Date.parse(at), now, language);
  return (
    <PanelSection title={words.tasks.facts}>
      <List
        rows={[
          [words.tasks.kind, words.tasks.kinds[task.kind]],
          ...(task.key === undefined || task.kind !== "prd" ? [] : [[words.tasks.key, task.key] as const]),
          [words.tasks.createdBy, agentName(task.createdBy)],
          [words.tasks.created, time(task.createdAt)],
          ...(task.closedAt === undefined ? [] : [[words.tasks.closedAt, time(task.closedAt)] as const]),
          ...(task.failures === 0 ? [] : [[words.tasks.failures, String(task.failures)] as const]),
        ]}
      />
    </PanelSection>
  );
}

const List = ({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[110px_1fr] gap-y-1 text-[13px]">
    {rows.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-muted">{name}</dt>
        <dd className="min-w-0 tabular-nums">{value}</dd>
      </div>
    ))}
  </dl>
);
