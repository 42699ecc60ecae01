import { z } from "zod";

const TaskStateName = z.enum(["working", "completed", "failed", "canceled", "rejected", "input-required", "auth-required"]);
export type TaskStateName = z.infer<typeof TaskStateName>;

const Header = z.object({
  task: z.string(),
  context: z.string(),
  state: TaskStateName,
  /** The other side's id for what it asks. */
  asked: z.string().optional(),
});

/** What the other side says of a task. `text`: what it said; for `input-required`, what it asks. */
export interface RemoteTask extends z.infer<typeof Header> {
  readonly text: string;
}

/** A call's result, as the log keeps it: one line about the task, then the text, which may be cut when it is shown. */
export const toOutput = ({ text, ...header }: RemoteTask): string => `${JSON.stringify(header)}\n${text}`;

/** Undefined if it is no such result. */
export function fromOutput(output: string): RemoteTask | undefined {
  const end = output.indexOf("\n");
  try {
    const read = Header.safeParse(JSON.parse(output.slice(0, end)));
    return read.success ? { ...read.data, text: output.slice(end + 1) } : undefined;
  } catch {
    return undefined; // an error's text
  }
}
