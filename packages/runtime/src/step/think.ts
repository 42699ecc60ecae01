import {
  type AgentView,
  decideCut,
  decideStep,
  definitionToRecord,
  type Dialog,
  builtinOffers,
  nextMove,
  type Run,
  runOf,
  Segments,
  situationMark,
  type StepRef,
  type Texts,
  type Turn,
  type Language,
} from "@colloquy/core";
import { changedDefinition, definitionOf, tellChange } from "./agent-definition.ts";
import { costOf, type ToolOffer } from "@colloquy/models";
import { Fault, isCall, type Part, rawTextOf, runKey, shortId, type StopCode } from "@colloquy/schema";
import { elapsed } from "../engine/deps.ts";
import type { RunContext } from "../engine/run-context.ts";
import { within } from "./work-spans.ts";
import { estimatedUsage } from "./estimated-usage.ts";
import { pauseMs } from "../engine/lane.ts";
import type { ReadPapers } from "../documents/papers.ts";
import { prepareStep, type StepInFlight } from "./prepare-step.ts";
import { readPromised } from "./promised-output.ts";
import type { Flight } from "../engine/live-tree.ts";
import type { Runner, StepOutput } from "../engine/runner.ts";
import type { RunRef } from "../engine/run-ref.ts";
import { StepCalls } from "./step-calls.ts";
import type { TeamMember } from "../team/team.ts";

/** Takes one step: shows the model the durable state, and commits its reply and calls before any of them runs. */
export async function think(context: RunContext, turn: Turn, flight: Flight): Promise<void> {
  const { deps, ref, tree } = context;
  const { lanes, pauses } = context.shared;
  const member = deps.team().member(ref.agent);
  if (!member) return context.agentGone();
  const step: StepRef = { dialog: ref.dialog, agent: ref.agent, turn: turn.id, step: turn.steps + 1 };
  const key = faultKey(ref, step);
  let runner: Runner | undefined;
  try {
    runner = member.runner(key);
    await member.prepare?.();
    await pauses.over(runner.name, flight);
    const leave = await lanes.of(runner.lane).enter(flight.abort.signal);
    try {
      if (await takeStep(context, { step, member, runner, flight, leave })) tree.faults.delete(key);
      else tree.views.forget(ref);
    } finally {
      leave();
    }
  } catch (error) {
    tree.views.forget(ref);
    if (flight.abort.signal.aborted) return;
    if (!(error instanceof Fault)) throw error;
    try {
      await recoverFrom(error, context, { step, member, runner, flight });
    } catch (failure) {
      // A pause ended by a stop or a clear mind is no failure.
      if (!flight.abort.signal.aborted) throw failure;
    }
  }
}

/** A step that holds its place with the provider. */
interface Taking extends StepInFlight {
  /** Releases the place in the provider's lane. */
  readonly leave: () => void;
}

/**
 * True if the step was committed. False if its turn was closed or stopped meanwhile, a new course started, or a command waits for the gap
 * between two steps.
 */
async function takeStep(context: RunContext, taking: Taking): Promise<boolean> {
  const { tree, ref } = context;
  const { step } = taking;
  const view = await context.view();
  await tree.settled;
  const read = await prepareStep(context, taking);
  if (read === "again") return false;
  // Nothing that isn't durable is sent, so this also waits for events that others have just committed.
  do await tree.settled;
  while (!tree.isDurable);
  // The turn may have been closed or stopped while it waited for its place.
  const run = runOf(tree.state, ref.dialog, ref.agent);
  const dialog = tree.state.dialogs.get(ref.dialog);
  const now = run && nextMove(tree.state, run);
  if (!run || !dialog || now?.kind !== "think" || now.turn.id !== step.turn) return false;
  // Nothing is awaited here unless something changed: the state that was found durable is the one that is shown.
  const changed = changedDefinition(taking.member, now.turn);
  if (changed) {
    await tellChange(context, taking.member, now.turn, changed);
    return false;
  }
  // Work that waits for the gap between two steps goes first.
  if (tree.betweenSteps.isHeld(ref.dialog)) return false;
  return tree.betweenSteps.step(ref.dialog, () => askModel(context, taking, { view, run, dialog, turn: now.turn, read }));
}

interface Ready {
  readonly view: AgentView;
  readonly run: Run;
  readonly dialog: Dialog;
  readonly turn: Turn;
  readonly read: ReadPapers;
}

/** Calls the model and commits its reply. */
async function askModel(context: RunContext, taking: Taking, ready: Ready): Promise<boolean> {
  const { deps, rulebook, tree, ref } = context;
  const { step, member, runner, flight, leave } = taking;
  const { view, run, dialog, turn, read } = ready;
  const seen = tree.state.seq;
  const gen = tree.nextGeneration(ref.dialog);
  const messages = view.show(seen, step.turn, run.lastProcessedMessageIndex > 0);
  const index = view.index(dialog.messages);
  const away = view.hasBlock;
  const words = view.words(step.turn);
  const system = tree.head(ref, step.turn, dialog.course, () => rulebook.head(tree.state, ref.dialog, member, read.papers));
  const stands = situationMark(tree.state, dialog);
  const docs = Object.fromEntries(Object.entries(read.versions).filter(([path, version]) => run.docs[path] !== version));
  const offers = offersOf(dialog, turn, member, deps.team().language);
  const definition = definitionToRecord(turn, definitionOf(member));
  const images = await imagesOf(context, view);
  const startedAt = deps.clock.now();
  const segments = new Segments();
  const calls = new StepCalls(context, ref, member, {
    ban: banOn(dialog, turn, rulebook.texts()),
    offered: offers.map(({ name }) => name),
  });
  flight.thinkingSince = startedAt;
  context.tell({ type: "generating_start_evt" }, gen);
  let output: StepOutput;
  try {
    const input = {
      system,
      messages,
      ...(images && { images }),
      tools: offers,
      agent: ref.agent,
      course: dialog.course,
      step: step.step,
      dialog: ref.dialog,
      sessionId: run.sessionId,
    };
    const { signal } = flight.abort;
    output = await within(deps.spans?.(), { rootId: ref.rootId, step }, () =>
      runner.step(input, { call: (raw) => calls.take(raw), live: (event) => context.tell(event, gen), segments, signal }),
    );
  } catch (error) {
    const ms = elapsed(deps.clock, startedAt);
    if (flight.abort.signal.aborted) {
      if (segments.open) context.tell({ type: `${segments.open}_finish_evt` }, gen);
      await keepForPeople(context, step, { segments, gen, ms });
      context.tell({ type: "generating_finish_evt" }, gen);
    } else context.tell({ type: "stream_error_evt", message: error instanceof Error ? error.message : String(error) }, gen);
    throw error;
  }
  // The provider is done; the next step need not wait for our disk.
  leave();
  try {
    const said = member.asks === "text" ? calls.inText(output.parts, tree.state, step) : output.parts;
    const judged = await calls.judge(tree.state, deps.clock.now());
    const parts = calls.recorded(said, judged);
    const usage = output.usage ?? estimatedUsage(view, system, output.parts);
    const result = {
      parts,
      ...judged,
      words,
      newId: () => context.newId(),
      seen,
      index,
      away,
      gen,
      ms: elapsed(deps.clock, startedAt),
      model: runner.name,
      usage,
      finish: output.finish,
      cost: runner.price && costOf(usage, runner.price),
      sessionId: output.sessionId,
      badOutput: await brokenPromise(member, words.cut, parts),
      ...(Object.keys(docs).length > 0 && { docs }),
      ...(stands !== turn.stands && { stands }),
      ...(definition && { definition }),
    };
    return (
      await context.record((state) =>
        decideStep(state, step, { ...result, approvals: calls.stillAsking(state, result.approvals) }, rulebook.rules()),
      )
    ).ok;
  } finally {
    flight.thinkingSince = undefined;
    context.tell({ type: "generating_finish_evt" }, gen);
  }
}

/** Why the final text doesn't match the output that the agent promises. */
async function brokenPromise({ output }: TeamMember, cut: string, parts: readonly Part[]): Promise<string | undefined> {
  if (!output || parts.some(isCall)) return undefined;
  const read = await readPromised(output.schema, (cut + rawTextOf(parts)).trim());
  return read.ok ? undefined : read.problems;
}

/** The bytes of the images to show; a missing one is left out, and the model is told. */
async function imagesOf({ deps, ref }: RunContext, { images }: AgentView): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  if (images.length === 0) return undefined;
  const names = [...new Set(images.map(({ name }) => name))];
  const read = await Promise.all(names.map(async (name) => [name, await deps.store.getBlob(ref.rootId, name)] as const));
  return new Map(read.flatMap(([name, data]) => (data ? [[name, data] as const] : [])));
}

/** A model may call a tool that it wasn't offered. */
function banOn(dialog: Dialog, turn: Turn, texts: Texts): string | undefined {
  if (dialog.side?.fresh) return texts.noToolsHere;
  return turn.cause.kind === "thread" ? texts.onlyTheThread : undefined;
}

/**
 * Fresh boots get no tools; an agent that a person asks back may only speak about its question; an agent that asks in its text gets no
 * tools.
 */
function offersOf(dialog: Dialog, turn: Turn, member: TeamMember, language: Language): readonly ToolOffer[] {
  if (dialog.side?.fresh || member.asks === "text") return [];
  const house = builtinOffers(dialog, turn, { agent: member.id, hasFreshBoots: member.fbrEffort > 0, hasTasks: member.hasTasks, language });
  return turn.cause.kind === "thread" ? house : [...house, ...[...member.tools.values()].map((tool) => tool.offer)];
}

/** The partial output of an interrupted step. */
interface CutStep {
  readonly segments: Segments;
  readonly gen: number;
  readonly ms: number;
}

async function keepForPeople(context: RunContext, step: StepRef, { segments, gen, ms }: CutStep): Promise<void> {
  if (context.closing.aborted) return;
  const parts = segments.parts().filter((part) => !isCall(part));
  await context.record((tree) => decideCut(tree, step, { parts, gen, ms }));
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

/** The step that failed; without a runner if the agent's model is missing. */
type FailedStep = Omit<StepInFlight, "runner"> & { readonly runner: Runner | undefined };

/**
 * Another attempt, with another of its models at once or after a pause that all users of this model share; or a halt with a reason that a
 * person can act on.
 */
async function recoverFrom(met: Fault, context: RunContext, { step, member, runner, flight }: FailedStep): Promise<void> {
  const { deps, ref, tree, writer } = context;
  const { pauses } = context.shared;
  if (!met.code.startsWith("model_") && met.code !== "script_ended") throw met;
  const key = faultKey(ref, step);
  const attempt = (tree.faults.get(key) ?? 0) + 1;
  const fault = runner && member.fallBack ? member.fallBack(key, runner, met) : met;
  if (!fault) return context.tell({ type: "retry_evt", message: met.message, attempt, pauseMs: 0 }, 0);
  const givenUp = fault.retry === "never" || attempt >= deps.retry.attempts;
  if (givenUp) {
    tree.faults.delete(key);
    const tried = fault.retry === "never" ? "" : ` Tried ${attempt} times.`;
    const then = `Dialog ${shortId(ref.dialog)} is stopped; nothing was lost. Once it is fixed: colloquy resume ${shortId(ref.dialog)}`;
    const code = stopCodes[fault.code] ?? "model_unreachable";
    return writer.halt(
      { ...ref, turn: step.turn },
      code,
      `${fault.message}${tried}
${then}`,
    );
  }
  tree.faults.set(key, attempt);
  const pause = pauseMs(deps.retry, attempt, fault, deps.chance());
  const { name } = member.runner(key);
  pauses.set(name, deps.clock.now() + pause);
  context.tell({ type: "retry_evt", message: fault.message, attempt, pauseMs: pause }, 0);
  await pauses.over(name, flight);
}

const faultKey = (ref: RunRef, step: StepRef): string => `${runKey(ref.dialog, ref.agent)}/${step.turn}/${step.step}`;
