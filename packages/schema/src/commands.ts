import { z } from "zod";
import { AgentId, DialogId } from "./ids.ts";

/** What a person may ask of one dialog. `by` comes from the credential, never from the packet; time and ids come from the shell. */
const command = <Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) =>
  z.strictObject({ type: z.literal(type), dialog: DialogId, by: z.string(), msgId: z.string().min(1).max(200).optional(), ...fields });

export const Command = z.discriminatedUnion("type", [
  command("send", { content: z.string(), sessionId: z.string().optional() }),
  command("rename", { title: z.string() }),
  command("stop", {}),
  command("resume", {}),
  command("done", {}),
  command("archive", {}),
]);
export type Command = z.infer<typeof Command>;

/** What it takes to start a main dialog. */
export const Creation = z.strictObject({
  agent: AgentId.optional(),
  content: z.string(),
  title: z.string().optional(),
  taskDocPath: z.string().optional(),
  sessionId: z.string().optional(),
  by: z.string(),
  msgId: z.string().min(1).max(200).optional(),
});
export type Creation = z.infer<typeof Creation>;
