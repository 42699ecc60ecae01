import { type Message, type Part, Role, type SendMessageRequest, type Task, TaskState } from "@a2a-js/sdk";
import type { RemoteTask, TaskStateName } from "./state.ts";

const STATES: Readonly<Partial<Record<TaskState, TaskStateName>>> = {
  [TaskState.TASK_STATE_COMPLETED]: "completed",
  [TaskState.TASK_STATE_FAILED]: "failed",
  [TaskState.TASK_STATE_CANCELED]: "canceled",
  [TaskState.TASK_STATE_REJECTED]: "rejected",
  [TaskState.TASK_STATE_INPUT_REQUIRED]: "input-required",
  [TaskState.TASK_STATE_AUTH_REQUIRED]: "auth-required",
};

export function toRemoteTask(answer: Task | Message): RemoteTask {
  if (!("status" in answer)) return { task: answer.taskId, context: answer.contextId, state: "completed", text: textIn(answer.parts) };
  const { id, contextId, status, artifacts } = answer;
  const state = STATES[status?.state ?? TaskState.TASK_STATE_UNSPECIFIED] ?? "working";
  const said = textIn(status?.message?.parts ?? []);
  const made = artifacts.map(({ parts }) => textIn(parts)).filter((text) => text !== "");
  const text = state === "completed" && made.length > 0 ? made.join("\n\n") : said;
  const asked = state === "input-required" ? status?.message?.messageId : undefined;
  return { task: id, context: contextId, state, text, ...(asked !== undefined && asked !== "" && { asked }) };
}

/** Text as it is, links by their address. Data beside text repeats it for programs. */
function textIn(parts: readonly Part[]): string {
  const texts = parts.flatMap(({ content }) => (content?.$case === "text" || content?.$case === "url" ? [content.value] : []));
  const data = parts.flatMap(({ content }) => (content?.$case === "data" ? [JSON.stringify(content.value)] : []));
  return (texts.length > 0 ? texts : data).join("\n\n").trim();
}

interface Sending {
  /** The same again has no second effect at servers that heed it. */
  readonly messageId: string;
  readonly text: string;
  readonly task?: string | undefined;
  readonly context?: string | undefined;
}

export const toMessage = ({ messageId, text, task = "", context = "" }: Sending): SendMessageRequest => ({
  tenant: "",
  message: {
    messageId,
    taskId: task,
    contextId: context,
    role: Role.ROLE_USER,
    parts: [{ content: { $case: "text", value: text }, metadata: undefined, filename: "", mediaType: "text/plain" }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: { acceptedOutputModes: ["text/plain"], taskPushNotificationConfig: undefined, returnImmediately: true },
  metadata: undefined,
});
