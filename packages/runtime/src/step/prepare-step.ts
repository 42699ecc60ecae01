import {
  accept,
  clearForRoom,
  type Dialog,
  excerpt,
  inShort,
  type Run,
  runOf,
  Segments,
  situationMark,
  situationNews,
  type StepRef,
  type Tree,
  turnAt,
} from "@colloquy/core";
import { costOf } from "@colloquy/models";
import { type DialogId, textOf, type TreeEvent, type Usage } from "@colloquy/schema";
import type { Flight } from "../engine/live-tree.ts";
import { type ReadPapers, readPapers } from "../documents/papers.ts";
import { estimatedUsage } from "./estimated-usage.ts";
import type { Runner } from "../engine/runner.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { TeamMember } from "../team/team.ts";

/** Bound per message if the history to summarize doesn't fit into the context window. */
const SHORT_CHARACTERS = 1_000;
/** The summary is part of every request of the course that it opens. */
const SUMMARY_CHARACTERS = 8_000;

/** How much fuller the context must get before the agent is told again. */
const TOLD_AGAIN_SHARE = 0.1;

/** A step being taken: its agent and its model. */
export interface StepInFlight {
  readonly step: StepRef;
  readonly member: TeamMember;
  readonly runner: Runner;
  readonly flight: Flight;
}

/** Where a note is added. */
interface Here {
  readonly dialog: DialogId;
  readonly course: number;
  readonly agent: Run["agent"];
  readonly turn: number;
}

/** Before a step: reads documents, and records notes about changes and a filling context before the model is called. */
export async function prepareStep(context: RunContext, inFlight: StepInFlight): Promise<ReadPapers | "again"> {
  const { deps, rulebook, tree, ref } = context;
  const { member, runner } = inFlight;
  const { turn } = inFlight.step;
  const texts = rulebook.texts();
  // Pending changes by a person or the orchestrator are written before the step is taken.
  if (tree.state.unwritten.some((one) => one.call === undefined)) await context.shared.documents.settle(ref.rootId);
  const run = runOf(tree.state, ref.dialog, ref.agent);
  const dialog = tree.state.dialogs.get(ref.dialog);
  if (!run || !dialog || dialog.side?.fresh) return NOTHING;
  const { soft, hard } = deps.team().context;
  const window = runner.contextWindow;
  const isOwn = dialog.agent === ref.agent;
  // Unread text counts as well: one large message or result can exceed the remaining room.
  const unread = isOwn && run.context > 0 ? (await context.view()).unreadTokens(turn) : 0;
  if (window !== undefined && isOwn && run.context > 0 && run.context + unread >= hard * window) {
    if (!tree.betweenSteps.isHeld(ref.dialog)) await tree.betweenSteps.step(ref.dialog, () => startAnew(context, inFlight));
    return "again";
  }
  await deps.documents.ready?.([dialog.taskDocPath, MEMORY]);
  const read = readPapers(deps.documents, ref.agent, dialog.taskDocPath);
  const notes: TreeEvent[] = [];
  const here = { dialog: ref.dialog, course: dialog.course, agent: ref.agent, turn };
  if (tree.hasHead(ref, turn, dialog.course)) notes.push(...changesOf(context, run, read, here), ...news(context, dialog, here));
  const missing = (member.missing?.() ?? []).join("\n");
  if (tree.tellMissing(ref, turn, missing) && tree.hasHead(ref, turn, dialog.course)) {
    const text = missing === "" ? texts.serversBack : texts.serversDown(missing.split("\n"));
    notes.push({ type: "note.added", ...here, code: "tools_missing", text });
  }
  const isFilling =
    window !== undefined &&
    isOwn &&
    member.asks === "tools" &&
    run.context >= soft * window &&
    run.context >= run.contextTold + (run.contextTold > 0 ? TOLD_AGAIN_SHARE * window : 0);
  if (window !== undefined && isFilling) {
    notes.push({
      type: "note.added",
      ...here,
      code: "context_filling",
      text: texts.contextFilling(Math.round((100 * run.context) / window)),
    });
  }
  // The recipient must still exist; otherwise the step isn't taken.
  const isFor = (state: Tree) => turnAt(state, here) !== undefined && state.dialogs.get(ref.dialog)?.course === here.course;
  if (notes.length > 0) await context.record((state) => accept(state.seq + notes.length, isFor(state) ? notes : []));
  return read;
}

const MEMORY = "memory";
const NOTHING: ReadPapers = { papers: { notes: undefined, memory: [], more: [], taskdoc: {} }, versions: {} };

/** The Taskdoc and memory that this run was shown, if they have changed since. */
function changesOf({ deps, rulebook }: RunContext, run: Run, { versions }: ReadPapers, here: Here): TreeEvent[] {
  const watched = new Set([...Object.keys(versions), ...Object.keys(run.docs)]);
  return [...watched].toSorted().flatMap((path): TreeEvent[] => {
    const now = versions[path] ?? deps.documents.read(path)?.hash ?? "";
    if (now === (run.docs[path] ?? "")) return [];
    const content = deps.documents.read(path)?.text;
    const texts = rulebook.texts();
    const text = texts.documentChanged(path, content === undefined ? undefined : excerpt(content, texts.documentCut));
    return [{ type: "note.added", ...here, code: "document_changed", text, docs: { [path]: now } }];
  });
}

/** The agent's situation, if others have changed it since this turn was told. */
function news({ deps, rulebook, tree }: RunContext, dialog: Dialog, here: Here): TreeEvent[] {
  const stands = situationMark(tree.state, dialog);
  if (stands === (turnAt(tree.state, here)?.stands ?? stands)) return [];
  const text = situationNews({ tree: tree.state, dialog, agent: here.agent, at: deps.clock.now() }, rulebook.texts());
  return [{ type: "note.added", ...here, code: "situation_changed", text, stands }];
}

/** The context is full: the agent writes itself a summary, which opens the next course. Asks, questions and turns stay. */
async function startAnew(context: RunContext, { step, member, runner, flight }: StepInFlight): Promise<void> {
  const { deps, rulebook, tree, ref } = context;
  const { turn } = step;
  const view = await context.view();
  // A summary is also made of durable events only.
  do await tree.settled;
  while (!tree.isDurable);
  const words = view.words(turn).last;
  const dialog = tree.state.dialogs.get(ref.dialog);
  const { papers } = readPapers(deps.documents, ref.agent, dialog?.taskDocPath ?? "");
  let summary: string;
  let spent: { usage?: Usage; cost?: number | undefined } = {};
  try {
    const segments = new Segments();
    const shown = view.show(tree.state.seq, turn);
    const room = rulebook.roster.roomOf(ref.agent) ?? Infinity;
    const history = view.tokens > room ? inShort(shown, SHORT_CHARACTERS) : shown;
    const messages = [...history, { role: "user" as const, text: rulebook.texts().summarise }];
    const system = tree.head(ref, turn, dialog?.course ?? 1, () => rulebook.head(tree.state, ref.dialog, member, papers));
    const output = await runner.step(
      {
        system,
        messages,
        tools: [],
        agent: ref.agent,
        course: dialog?.course ?? 1,
        step: 0,
        dialog: ref.dialog,
        sessionId: undefined,
      },
      {
        call: () => {
          throw new Error("a summary calls nothing");
        },
        live: () => undefined,
        segments,
        signal: flight.abort.signal,
      },
    );
    summary = textOf(output.parts);
    const usage = output.usage ?? estimatedUsage(view, system, output.parts);
    spent = { usage, cost: runner.price && costOf(usage, runner.price) };
  } catch (error) {
    flight.abort.signal.throwIfAborted();
    deps.report(error, "summary of a full context");
    summary = "";
  }
  tree.views.forget(ref);
  const failed = summary === "" ? rulebook.texts().summaryFailed(words) : undefined;
  const content = (failed ?? summary).slice(0, SUMMARY_CHARACTERS);
  const written = { content, isFallback: failed !== undefined, ...spent };
  await context.record((state) => clearForRoom(state, ref.dialog, written, rulebook.rules()));
}
