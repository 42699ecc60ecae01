import { projectPath, Refusal, useDoor, useProject } from "@colloquy/react";
import type { TaskKind, TaskView } from "@colloquy/schema";
import { useState } from "react";
import { Modal } from "../parts/modal.tsx";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";
import { newMsgId } from "@colloquy/schema";
import type { Words } from "../words.ts";
import { DependencyField } from "./dependency-field.tsx";

const KINDS = ["task", "feedback", "prd", "plan"] as const;

/** What a new task begins with. */
export type Beginning = Partial<Pick<TaskView, "kind" | "title" | "description" | "key">>;

/** A new task, or other words and another order for one that there is. What is refused says why, and nothing is lost. */
export function TaskForm({
  projectId,
  tasks,
  task,
  beginning = {},
  onClose,
  onDone,
}: {
  readonly projectId: string;
  readonly tasks: readonly TaskView[];
  /** The one that is changed; without it a new one is made. */
  readonly task?: TaskView;
  readonly beginning?: Beginning;
  readonly onClose: () => void;
  readonly onDone: (task: TaskView) => void;
}) {
  const words = useWords();
  const door = useDoor();
  const first = task ?? beginning;
  const [kind, setKind] = useState<TaskKind>(first.kind ?? "task");
  const [title, setTitle] = useState(first.title ?? "");
  const [description, setDescription] = useState(first.description ?? "");
  const [key, setKey] = useState(first.key ?? "");
  const [dependsOn, setDependsOn] = useState<readonly string[]>(task?.dependsOn ?? []);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  // The same name until it is done: sent twice, it is made once.
  const [msgId] = useState(newMsgId);
  const isWhole = title.trim() !== "" && (kind !== "prd" || task !== undefined || key.trim() !== "");
  const send = async () => {
    if (!isWhole || isSending) return;
    setSending(true);
    setProblem(undefined);
    try {
      const path = `${projectPath(projectId)}/tasks`;
      onDone(
        task
          ? await door.change<TaskView>("PATCH", `${path}/${task.id}`, { ...changed(task, { title, description, dependsOn }), msgId })
          : await door.change<TaskView>("POST", path, {
              kind,
              title: title.trim(),
              ...(description.trim() !== "" && { description: description.trim() }),
              ...(kind === "prd" && { key: key.trim() }),
              ...(dependsOn.length > 0 && { dependsOn }),
              msgId,
            }),
      );
    } catch (error) {
      setProblem(why(error, words));
      setSending(false);
    }
  };
  return (
    <Modal title={task ? words.tasks.edit : words.tasks.add} onClose={onClose} isWide>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      >
        {!task && <KindField projectId={projectId} kind={kind} onKind={setKind} />}
        <label className="text-[13px] text-muted">
          {words.tasks.name}
          <input
            autoFocus
            className="field mt-1 text-[15px] text-ink"
            placeholder={words.tasks.nameHint}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
          />
        </label>
        {!task && kind === "prd" && (
          <label className="text-[13px] text-muted">
            {words.tasks.key}
            <input
              className="field mt-1 font-mono text-ink"
              placeholder={words.tasks.keyHint}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </label>
        )}
        <label className="text-[13px] text-muted">
          {words.tasks.about}
          <textarea
            className="field mt-1 text-ink"
            rows={4}
            placeholder={words.tasks.aboutHint}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        </label>
        <DependencyField tasks={tasks} self={task?.id} chosen={dependsOn} onChoose={setDependsOn} />
        <Problem text={problem} isBoxed />
        <div className="flex items-center gap-3">
          <button type="submit" className="button button-primary px-5" disabled={isSending || !isWhole}>
            {task ? words.save : words.tasks.create}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {words.cancel}
          </button>
          <kbd className="max-sm:hidden">Ctrl Enter</kbd>
        </div>
      </form>
    </Modal>
  );
}

/** What it is, and who will take it. */
function KindField({
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

/** Only what is different is sent: what somebody else changed meanwhile stays. */
function changed(task: TaskView, now: { readonly title: string; readonly description: string; readonly dependsOn: readonly string[] }) {
  return {
    ...(now.title.trim() !== task.title && { title: now.title.trim() }),
    ...(now.description.trim() !== task.description && { description: now.description.trim() }),
    ...(now.dependsOn.join(" ") !== task.dependsOn.join(" ") && { dependsOn: now.dependsOn }),
  };
}

function why(error: unknown, words: Words): string {
  const message = error instanceof Error ? error.message : String(error);
  const circle = error instanceof Refusal && error.code === "circle" ? /: (.+)\.$/s.exec(message)?.[1] : undefined;
  return words.refused(circle === undefined ? message : words.tasks.circle(circle));
}
