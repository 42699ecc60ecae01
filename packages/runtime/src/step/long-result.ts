import { type CallRef, type CallResult, decideCallEnd } from "@colloquy/core";
import { type AgentId, type CallId, type CallPart, builtinInputs } from "@colloquy/schema";
import type { ProjectContext } from "../engine/project-context.ts";
import type { RunContext } from "../engine/run-context.ts";

/** Longer results are kept beside the log and shown in part. */
const SHOWN_CHARACTERS = 30_000;

/** One result must not fill a small context window: as many characters as it has tokens are about a quarter of it. */
const shownTo = ({ rulebook }: ProjectContext, agent: AgentId): number =>
  Math.min(SHOWN_CHARACTERS, rulebook.roster.windowOf(agent) ?? SHOWN_CHARACTERS);

/** The beginning and the end, where errors usually are; between them, how to read the rest. */
export async function cutResult(context: RunContext, call: CallId, output: string): Promise<Pick<CallResult, "output" | "blob">> {
  const { deps, rulebook, ref } = context;
  const shown = shownTo(context, ref.agent);
  if (output.length <= shown) return { output };
  const name = blobOf(call);
  const whole = Buffer.from(output, "utf8");
  await deps.store.putBlob(ref.rootId, name, whole);
  const end = Math.floor(shown / 3);
  const note = rulebook.texts().cutOutput(shown, output.length, call, shown - end);
  return { output: `${output.slice(0, shown - end)}\n${note}\n${output.slice(-end)}`, blob: { name, bytes: whole.length } };
}

/** The rest of a cut result, in parts of the size that a result may have. */
export async function readResult(context: RunContext, callRef: CallRef, part: CallPart): Promise<void> {
  const { call, from = 0 } = builtinInputs.read_result.parse(part.input);
  const { deps, rulebook, ref } = context;
  const texts = rulebook.texts();
  const blob = await deps.store.getBlob(ref.rootId, blobOf(call));
  const result = (): CallResult => {
    if (!blob) return { outcome: "refused", output: texts.noResult(call) };
    const whole = new TextDecoder().decode(blob);
    const to = Math.min(whole.length, from + shownTo(context, ref.agent));
    return { output: `${texts.partOfResult(Math.min(from, to), to, whole.length, call)}\n${whole.slice(from, to)}` };
  };
  await context.record((tree) => decideCallEnd(tree, callRef, { result: result(), question: context.newId() }, rulebook.rules()));
}

const blobOf = (call: CallId): string => `${call}.txt`;
