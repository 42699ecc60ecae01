import { Refused, useActions } from "@colloquy/react";
import { newMsgId, type TaskKind, type TaskView } from "@colloquy/schema";
import { useState } from "react";
import { useWords } from "../state/appearance.ts";
import type { Words } from "../words.ts";

export interface TaskFormProps {
  readonly projectId: string;
  readonly tasks: readonly TaskView[];
  /** The task to edit; absent: create one. */
  readonly task?: TaskView;
  /** What a new task begins with. */
  readonly beginning?: Partial<Pick<TaskView, "kind" | "title" | "description" | "key">>;
  readonly onClose: () => void;
  readonly onDone: (task: TaskView) => void;
}

/** A task being created or edited. */
export function useTaskForm({ projectId, task, beginning = {}, onDone }: TaskFormProps) {
  const words = useWords();
  const actions = useActions(projectId);
  const first = task ?? beginning;
  const [kind, setKind] = useState<TaskKind>(first.kind ?? "task");
  const [title, setTitle] = useState(first.title ?? "");
  const [description, setDescription] = useState(first.description ?? "");
  const [key, setKey] = useState(first.key ?? "");
  const [dependsOn, setDependsOn] = useState<readonly string[]>(task?.dependsOn ?? []);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  // One msgId until it succeeds: sent twice, the task is created once.
  const [msgId] = useState(newMsgId);
  const needsKey = kind === "prd" && task === undefined;
  const canSend = !isSending && title.trim() !== "" && (!needsKey || key.trim() !== "");
  const save = (): Promise<TaskView> => {
    if (task) return actions.tasks.update(task.id, { ...changed(task, { title, description, dependsOn }), msgId });
    return actions.tasks.create({
      kind,
      title: title.trim(),
      ...(description.trim() !== "" && { description: description.trim() }),
      ...(needsKey && { key: key.trim() }),
      ...(dependsOn.length > 0 && { dependsOn: [...dependsOn] }),
      msgId,
    });
  };
  const send = async () => {
    if (!canSend) return;
    setSending(true);
    setProblem(undefined);
    try {
      onDone(await save());
    } catch (error) {
      setProblem(why(error, words));
      setSending(false);
    }
  };
  return {
    kind,
    setKind,
    title,
    setTitle,
    description,
    setDescription,
    key,
    setKey,
    dependsOn,
    setDependsOn,
    needsKey,
    canSend,
    problem,
    send,
  };
}

/** Only changed fields are sent, so others' changes to the rest survive. */
function changed(task: TaskView, now: { readonly title: string; readonly description: string; readonly dependsOn: readonly string[] }) {
  return {
    ...(now.title.trim() !== task.title && { title: now.title.trim() }),
    ...(now.description.trim() !== task.description && { description: now.description.trim() }),
    ...(now.dependsOn.join(" ") !== task.dependsOn.join(" ") && { dependsOn: [...now.dependsOn] }),
  };
}

function why(error: unknown, words: Words): string {
  const message = error instanceof Error ? error.message : String(error);
  const circle = error instanceof Refused && error.code === "circle" ? /: (.+)\.$/s.exec(message)?.[1] : undefined;
  return words.refused(circle === undefined ? message : words.tasks.circle(circle));
}
