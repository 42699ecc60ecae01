import {
  type AgentView,
  decideCut,
  decideStep,
  type Dialog,
  builtinOffers,
  nextMove,
  type Run,
  runOf,
  Segments,
  situationMark,
  type StepRef,
  type Turn,
} from "@colloquy/core";
import { costOf, type ToolOffer } from "@colloquy/models";
import { Fault, isCall, type Part, rawTextOf, shortId, type StopCode } from "@colloquy/schema";
import { elapsed } from "../engine/deps.ts";
import type { Engine } from "../engine/engine.ts";
import { estimatedUsage } from "./estimated-usage.ts";
import { pauseMs } from "../engine/lane.ts";
import type { ReadPapers } from "../documents/papers.ts";
import { prepareStep } from "./prepare-step.ts";
import { readPromised } from "./promised-output.ts";
import type { Flight, LiveTree } from "../engine/live-tree.ts";
import type { Runner, StepOutput } from "../engine/runner.ts";
import type { RunRef } from "../engine/run-ref.ts";
import { StepCalls } from "./step-calls.ts";
import type { TeamMember } from "../team/team.ts";

/** Takes one step: shows the model what is durable, and commits what it said and the calls it made before any of them runs. */
export async function think(engine: Engine, tree: LiveTree, ref: RunRef, turn: Turn, flight: Flight): Promise<void> {
  const member = engine.deps.team().member(ref.agent);
  if (!member) return engine.agentGone(ref);
  const step: StepRef = { dialog: ref.dialog, agent: ref.agent, turn: turn.id, step: turn.steps + 1 };
  try {
    const runner = member.runner();
    await member.prepare?.();
    await engine.pauses.over(runner.name, flight);
    const leave = await engine.lane(runner.lane).enter(flight.abort.signal);
    try {
      if (await takeStep({ engine, tree, ref, step, member, runner, flight, leave })) tree.faults.delete(faultKey(ref, step));
      else tree.views.forget(ref);
    } finally {
      leave();
    }
  } catch (error) {
    tree.views.forget(ref);
    if (flight.abort.signal.aborted) return;
    if (!(error instanceof Fault)) throw error;
    try {
      await recoverFrom(engine, tree, ref, step, error, member, flight);
    } catch (failure) {
      // A pause that is cut short by a stop or a clear mind is no failure.
      if (!flight.abort.signal.aborted) throw failure;
    }
  }
}

/** All that a step needs beside what is in the log. */
interface Taking {
  readonly engine: Engine;
  readonly tree: LiveTree;
  readonly ref: RunRef;
  readonly step: StepRef;
  readonly member: TeamMember;
  readonly runner: Runner;
  readonly flight: Flight;
  /** Gives the place in the provider's lane to the next one. */
  readonly leave: () => void;
}

/** True when the step was committed; false when its turn had been closed or stopped meanwhile. */
async function takeStep(taking: Taking): Promise<boolean> {
  const { engine, tree, ref, step, member, runner, flight } = taking;
  const view = await tree.view(engine.deps.store, ref);
  await tree.settled;
  const read = await prepareStep(engine, tree, ref, step.turn, member, runner, flight);
  if (read === "again") return false;
  // Nothing that is not durable is sent: what others have just handed in is waited for, too.
  do await tree.settled;
  while (!tree.isDurable);
  // While it waited for its place, the turn may have been closed or stopped.
  const run = runOf(tree.state, ref.dialog, ref.agent);
  const dialog = tree.state.dialogs.get(ref.dialog);
  const now = run && nextMove(tree.state, run);
  if (!run || !dialog || now?.kind !== "think" || now.turn.id !== step.turn) return false;
  // Work that waits for the gap between two steps goes first.
  if (tree.betweenSteps.isHeld(ref.dialog)) return false;
  return tree.betweenSteps.step(ref.dialog, () => askModel(taking, { view, run, dialog, turn: now.turn, read }));
}

interface Ready {
  readonly view: AgentView;
  readonly run: Run;
  readonly dialog: Dialog;
  readonly turn: Turn;
  readonly read: ReadPapers;
}

/** Asks the model and commits what it said. */
async function askModel({ engine, tree, ref, step, member, runner, flight, leave }: Taking, ready: Ready): Promise<boolean> {
  const { view, run, dialog, turn, read } = ready;
  const seen = tree.state.seq;
  const gen = tree.nextGeneration(ref.dialog);
  const messages = view.show(seen, step.turn, run.lastProcessedMessageIndex > 0);
  const index = view.index(dialog.messages);
  const away = view.hasBlock;
  const words = view.words(step.turn);
  const system = tree.head(ref, step.turn, dialog.course, () => engine.rulebook.head(tree.state, ref.dialog, member, read.papers));
  const stands = situationMark(tree.state, dialog);
  const docs = Object.fromEntries(Object.entries(read.versions).filter(([path, version]) => run.docs[path] !== version));
  const offers = offersOf(dialog, turn, ref, member);
  const images = await imagesOf(engine, ref, view);
  const startedAt = engine.deps.clock.now();
  const segments = new Segments();
  const calls = new StepCalls(engine, ref, member, { ban: banOn(dialog, turn, engine), offered: offers.map(({ name }) => name) });
  flight.thinkingSince = startedAt;
  engine.tell(tree, ref, { type: "generating_start_evt" }, gen);
  let output: StepOutput;
  try {
    output = await runner.step(
      {
        system,
        messages,
        ...(images && { images }),
        tools: offers,
        agent: ref.agent,
        course: dialog.course,
        step: step.step,
        dialog: ref.dialog,
        sessionId: run.sessionId,
      },
      { call: (raw) => calls.take(raw), live: (event) => engine.tell(tree, ref, event, gen), segments, signal: flight.abort.signal },
    );
  } catch (error) {
    const ms = elapsed(engine.deps.clock, startedAt);
    if (flight.abort.signal.aborted) {
      if (segments.open) engine.tell(tree, ref, { type: `${segments.open}_finish_evt` }, gen);
      await keepForPeople(engine, ref, step, segments, gen, ms);
      engine.tell(tree, ref, { type: "generating_finish_evt" }, gen);
    } else engine.tell(tree, ref, { type: "stream_error_evt", message: error instanceof Error ? error.message : String(error) }, gen);
    throw error;
  }
  // The provider is done with it; the next one need not wait for our disk.
  leave();
  try {
    const said = member.asks === "text" ? calls.inText(output.parts, tree.state, step) : output.parts;
    const judged = await calls.judge(tree.state, engine.deps.clock.now());
    const parts = calls.recorded(said, judged);
    const usage = output.usage ?? estimatedUsage(view, system, output.parts);
    const result = {
      parts,
      ...judged,
      words,
      newId: () => engine.rulebook.idIn(ref.rootId),
      seen,
      index,
      away,
      gen,
      ms: elapsed(engine.deps.clock, startedAt),
      model: runner.name,
      usage,
      finish: output.finish,
      cost: runner.price && costOf(usage, runner.price),
      sessionId: output.sessionId,
      badOutput: await brokenPromise(member, words.cut, parts),
      ...(Object.keys(docs).length > 0 && { docs }),
      ...(stands !== turn.stands && { stands }),
    };
    return (
      await engine.writer.record(ref.rootId, (state) =>
        decideStep(state, step, { ...result, approvals: calls.stillAsking(result.approvals) }, engine.rulebook.rules()),
      )
    ).ok;
  } finally {
    flight.thinkingSince = undefined;
    engine.tell(tree, ref, { type: "generating_finish_evt" }, gen);
  }
}

/** Why the words that end a step are not what the agent promises to end with. */
async function brokenPromise({ output }: TeamMember, cut: string, parts: readonly Part[]): Promise<string | undefined> {
  if (!output || parts.some(isCall)) return undefined;
  const read = await readPromised(output.schema, (cut + rawTextOf(parts)).trim());
  return read.ok ? undefined : read.problems;
}

/** The bytes of the pictures that are shown; one that is gone is left out, and the model is told. */
async function imagesOf(engine: Engine, ref: RunRef, { images }: AgentView): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  if (images.length === 0) return undefined;
  const names = [...new Set(images.map(({ name }) => name))];
  const read = await Promise.all(names.map(async (name) => [name, await engine.deps.store.getBlob(ref.rootId, name)] as const));
  return new Map(read.flatMap(([name, data]) => (data ? [[name, data] as const] : [])));
}

/** A model may call what it was not offered. */
function banOn(dialog: Dialog, turn: Turn, engine: Engine): string | undefined {
  if (dialog.side?.fresh) return engine.rulebook.texts().noToolsHere;
  return turn.cause.kind === "thread" ? engine.rulebook.texts().onlyTheThread : undefined;
}

/** Fresh boots have nothing; who is asked back by a person may only speak of its question; who asks in its text gets no tools. */
function offersOf(dialog: Dialog, turn: Turn, ref: RunRef, member: TeamMember): readonly ToolOffer[] {
  if (dialog.side?.fresh || member.asks === "text") return [];
  const house = builtinOffers(dialog, turn, ref.agent, member.fbrEffort > 0, member.hasTasks);
  return turn.cause.kind === "thread" ? house : [...house, ...[...member.tools.values()].map((tool) => tool.offer)];
}

async function keepForPeople(engine: Engine, ref: RunRef, step: StepRef, segments: Segments, gen: number, ms: number): Promise<void> {
  if (engine.isClosing) return;
  const parts = segments.parts().filter((part) => !isCall(part));
  await engine.writer.record(ref.rootId, (tree) => decideCut(tree, step, { parts, gen, ms }));
}

const stopCodes: Partial<Record<Fault["code"], StopCode>> = {
  model_no_key: "no_key",
  model_wrong_key: "wrong_key",
  model_no_credit: "no_credit",
  model_unknown: "unknown_model",
  model_context_too_long: "context_too_long",
  model_refused: "model_refused",
  script_ended: "script_ended",
};

/** Another attempt after a pause that all who use this model share; or a halt with a reason that a person can act on. */
async function recoverFrom(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  step: StepRef,
  fault: Fault,
  member: TeamMember,
  flight: Flight,
): Promise<void> {
  if (!fault.code.startsWith("model_") && fault.code !== "script_ended") throw fault;
  const key = faultKey(ref, step);
  const attempt = (tree.faults.get(key) ?? 0) + 1;
  const givenUp = fault.retry === "never" || attempt >= engine.deps.retry.attempts;
  if (givenUp) {
    tree.faults.delete(key);
    const tried = fault.retry === "never" ? "" : ` Tried ${attempt} times.`;
    const then = `Dialog ${shortId(ref.dialog)} is stopped; nothing was lost. When it is mended: colloquy resume ${shortId(ref.dialog)}`;
    return engine.writer.halt(
      { ...ref, turn: step.turn },
      stopCodes[fault.code] ?? "model_unreachable",
      `${fault.message}${tried}\n${then}`,
    );
  }
  tree.faults.set(key, attempt);
  const pause = pauseMs(engine.deps.retry, attempt, fault, engine.deps.chance());
  engine.pauses.set(member.runner().name, engine.deps.clock.now() + pause);
  engine.tell(tree, ref, { type: "retry_evt", message: fault.message, attempt, pauseMs: pause }, 0);
  await engine.pauses.over(member.runner().name, flight);
}

const faultKey = (ref: RunRef, step: StepRef): string => `${ref.dialog}/${ref.agent}/${step.turn}/${step.step}`;
