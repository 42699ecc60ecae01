import type { Commands } from "@colloquy/runtime";
import { type askingFields, OutsideQuestion, type QuestionId, Refused, type RootId } from "@colloquy/schema";
import { z } from "zod";
import type { Look } from "../open/locate.ts";
import { signature, type Signed } from "../dialogs/signed.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";

export type AskInput = z.input<z.ZodObject<typeof askingFields>> &
  Signed & {
    /** The name of the program that asks, for people. Default: `by`. */
    readonly program?: string | undefined;
  };

export interface AskedPeople {
  readonly questionId: QuestionId;
  readonly rootId: RootId;
  readonly seq: number;
}

/** A question of an outside program, in a dialog of its own that is over when the question is. */
export async function askPeople(commands: Commands, look: Look, { by, msgId, signal, program, ...asked }: AskInput): Promise<AskedPeople> {
  const signed = signature({ by, msgId });
  const parsed = OutsideQuestion.safeParse({ ...asked, ...signed, program: program?.trim() || signed.by });
  if (!parsed.success) throw new Refused({ code: "bad_request", message: z.prettifyError(parsed.error) });
  const created = await unlessAborted(signal, () => commands.ask(parsed.data));
  if (!created.ok) throw new Refused(created.refusal);
  const { rootId, seq } = created;
  const questionId = await look(rootId, ({ questions }) => [...questions.values()][0]?.id);
  if (questionId === undefined) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
  return { questionId, rootId, seq };
}
