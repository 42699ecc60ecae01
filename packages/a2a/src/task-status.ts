import { Role, TaskState, type TaskStatus } from "@a2a-js/sdk";
import { answerSchema, type BridgeProject, decidedByAnswer, questionText } from "@colloquy/bridge";
import type { DialogView, QuestionView, RootId } from "@colloquy/schema";
import { message, text } from "./task-story.ts";
import type { TaskRef } from "./task-ref.ts";

const OVER: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
]);

export const isOver = (status: TaskStatus | undefined): boolean => status !== undefined && OVER.has(status.state);

/** A dialog's state as that of its newest task. */
export async function statusOf(project: BridgeProject, ref: TaskRef): Promise<TaskStatus> {
  const view = await project.view(ref.rootId);
  const open = await project.questions(ref.rootId as RootId);
  const state = stateOf(view, open.length > 0);
  const [question] = open;
  const isAsking = question && state === TaskState.TASK_STATE_INPUT_REQUIRED;
  return {
    state,
    timestamp: view.lastModified,
    message: isAsking ? asked(project, ref, question, open.length - 1) : undefined,
  };
}

function stateOf({ stopped, state, status }: DialogView, isAsking: boolean): TaskState {
  // A stop that no person chose is a question.
  if (stopped && (stopped.by !== undefined || !isAsking)) return TaskState.TASK_STATE_CANCELED;
  if (status === "archived" || status === "completed") return TaskState.TASK_STATE_COMPLETED;
  if (isAsking) return TaskState.TASK_STATE_INPUT_REQUIRED;
  return state === "idle" || state === "done" ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_WORKING;
}

function asked(project: BridgeProject, ref: TaskRef, question: QuestionView, others: number) {
  const { id, shown, kind, headline, options, deadline } = question;
  const page = project.pageOf(id);
  const data = {
    question: id,
    shown,
    kind,
    headline,
    text: question.text,
    options,
    ...(decidedByAnswer(question) && { answer: answerSchema(question) }),
    ...(deadline !== undefined && { deadline }),
    ...(page !== undefined && { url: page }),
  };
  const card = questionText(question, { language: project.language, page, others });
  return message({ id: `${id}.${shown}`, role: Role.ROLE_AGENT, ref }, [
    text(card),
    { content: { $case: "data", value: data }, metadata: undefined, filename: "", mediaType: "application/json" },
  ]);
}
