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

export interface AskingDeps {
  readonly commands: Commands;
  readonly look: Look;
  /** The names of agents and users. */
  readonly names: () => readonly string[];
}

/** A question of an outside program, in a dialog of its own that is over when the question is. */
export async function askPeople(deps: AskingDeps, { by, msgId, signal, program, ...asked }: AskInput): Promise<AskedPeople> {
  const { commands, look, names } = deps;
  const signed = signature({ by, msgId });
  const parsed = OutsideQuestion.safeParse({ ...asked, ...signed, program: programName(program?.trim() || signed.by, signed.by, names()) });
  if (!parsed.success) throw new Refused({ code: "bad_request", message: z.prettifyError(parsed.error) });
  const created = await unlessAborted(signal, () => commands.ask(parsed.data));
  if (!created.ok) throw new Refused(created.refusal);
  const { rootId, seq } = created;
  const questionId = await look(rootId, ({ questions }) => [...questions.values()][0]?.id);
  if (questionId === undefined) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
  return { questionId, rootId, seq };
}

/** Nobody takes a program under the name of an agent or of another user for them. */
function programName(program: string, by: string, names: readonly string[]): string {
  const isTaken = program !== by && [...names, ...SIGNATURES].some((name) => plain(name) === plain(program));
  return isTaken ? `${program} (program)` : program;
}

/** The names of actions without a user. */
const SIGNATURES = ["owner", "system"];

const plain = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/[\p{C}\p{Z}]/gu, "")
    .toLowerCase();
