import { type CallRef, type CallResult, decideCallEnd } from "@colloquy/core";
import { type AgentId, type CallId, type CallPart, builtinInputs } from "@colloquy/schema";
import type { Engine } from "../engine/engine.ts";
import type { RunRef } from "../engine/run-ref.ts";

/** More than this is kept beside the log and shown in part. */
const SHOWN_CHARACTERS = 30_000;

/** A small window is not filled by one result: as many characters as it has tokens are about a quarter of it. */
const shownTo = (engine: Engine, agent: AgentId): number => Math.min(SHOWN_CHARACTERS, engine.roster.windowOf(agent) ?? SHOWN_CHARACTERS);

/** What it begins with, and what it ends with, where errors stand; between them, how to get the rest. */
export async function cutResult(engine: Engine, ref: RunRef, call: CallId, output: string): Promise<Pick<CallResult, "output" | "blob">> {
  const shown = shownTo(engine, ref.agent);
  if (output.length <= shown) return { output };
  const name = blobOf(call);
  const whole = Buffer.from(output, "utf8");
  await engine.deps.store.putBlob(ref.rootId, name, whole);
  const end = Math.floor(shown / 3);
  const note = engine.rulebook.texts().cutOutput(shown, output.length, call, shown - end);
  return { output: `${output.slice(0, shown - end)}\n${note}\n${output.slice(-end)}`, blob: { name, bytes: whole.length } };
}

/** The rest of a result that was cut, as much at a time as a result may take. */
export async function readResult(engine: Engine, ref: RunRef, callRef: CallRef, part: CallPart): Promise<void> {
  const { call, from = 0 } = builtinInputs.read_result.parse(part.input);
  const texts = engine.rulebook.texts();
  const blob = await engine.deps.store.getBlob(ref.rootId, blobOf(call));
  const result = (): CallResult => {
    if (!blob) return { outcome: "refused", output: texts.noResult(call) };
    const whole = new TextDecoder().decode(blob);
    const to = Math.min(whole.length, from + shownTo(engine, ref.agent));
    return { output: `${texts.partOfResult(Math.min(from, to), to, whole.length, call)}\n${whole.slice(from, to)}` };
  };
  await engine.writer.record(ref.rootId, (tree) =>
    decideCallEnd(tree, callRef, result(), engine.rulebook.idIn(ref.rootId), engine.rulebook.rules()),
  );
}

const blobOf = (call: CallId): string => `${call}.txt`;
