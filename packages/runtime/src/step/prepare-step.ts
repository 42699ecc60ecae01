import {
  accept,
  clearForRoom,
  type Dialog,
  excerpt,
  inShort,
  type Run,
  Segments,
  situationMark,
  situationNews,
  type Tree,
  turnAt,
} from "@colloquy/core";
import { costOf } from "@colloquy/models";
import { type DialogId, textOf, type TreeEvent, type Usage } from "@colloquy/schema";
import type { Engine } from "../engine/engine.ts";
import type { Flight, LiveTree } from "../engine/live-tree.ts";
import { type ReadPapers, readPapers } from "../documents/papers.ts";
import { estimatedUsage } from "./estimated-usage.ts";
import type { Runner } from "../engine/runner.ts";
import type { RunRef } from "../engine/run-ref.ts";
import type { TeamMember } from "../team/team.ts";

/** Of each message, where a summary is wanted of more than can be read at once. */
const SHORT_CHARACTERS = 1_000;
/** The summary stands in every request of the course that it opens. */
const SUMMARY_CHARACTERS = 8_000;

/** How much fuller the context must get before the agent is told again. */
const TOLD_AGAIN = 0.1;

/** Before a step: documents are read, and what has changed or is getting full is said, durably, before the model is asked. */
export async function prepareStep(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  turn: number,
  member: TeamMember,
  runner: Runner,
  flight: Flight,
): Promise<ReadPapers | "again"> {
  // What a person or the orchestrator wants to be read with this step is written before it is taken.
  if (tree.state.unwritten.some((one) => one.call === undefined)) await engine.settler.settle(ref.rootId);
  const run = runIn(tree.state, ref);
  const dialog = tree.state.dialogs.get(ref.dialog);
  if (!run || !dialog || dialog.side?.fresh) return NOTHING;
  const { soft, hard } = engine.deps.team().context;
  const window = runner.contextWindow;
  const isOwn = dialog.agent === ref.agent;
  // What is unread counts as well: one large message or result can be too much for what is there already.
  const unread = isOwn && run.context > 0 ? (await tree.view(engine.deps.store, ref)).unreadTokens(turn) : 0;
  if (window !== undefined && isOwn && run.context > 0 && run.context + unread >= hard * window) {
    if (!tree.betweenSteps.isHeld(ref.dialog))
      await tree.betweenSteps.step(ref.dialog, () => startAnew(engine, tree, ref, turn, member, runner, flight));
    return "again";
  }
  const read = readPapers(engine.deps.documents, ref.agent, dialog.taskDocPath);
  const notes: TreeEvent[] = [];
  const here = { dialog: ref.dialog, course: dialog.course, agent: ref.agent, turn };
  if (tree.hasHead(ref, turn, dialog.course)) notes.push(...changesOf(engine, run, read, here), ...news(engine, tree, dialog, here));
  const missing = (member.missing?.() ?? []).join("\n");
  if (tree.tellMissing(ref, turn, missing) && tree.hasHead(ref, turn, dialog.course)) {
    const text = missing === "" ? engine.rulebook.texts().serversBack : engine.rulebook.texts().serversDown(missing.split("\n"));
    notes.push({ type: "note.added", ...here, code: "tools_missing", text });
  }
  const isFilling =
    window !== undefined &&
    isOwn &&
    member.asks === "tools" &&
    run.context >= soft * window &&
    run.context >= run.contextTold + (run.contextTold > 0 ? TOLD_AGAIN * window : 0);
  if (window !== undefined && isFilling) {
    notes.push({
      type: "note.added",
      ...here,
      code: "context_filling",
      text: engine.rulebook.texts().contextFilling(Math.round((100 * run.context) / window)),
    });
  }
  // Who is told must still be there; the step is not taken otherwise.
  const isFor = (state: Tree) => turnAt(state, here) !== undefined && state.dialogs.get(ref.dialog)?.course === here.course;
  if (notes.length > 0) await engine.writer.record(ref.rootId, (state) => accept(state.seq + notes.length, isFor(state) ? notes : []));
  return read;
}

const NOTHING: ReadPapers = { papers: { notes: undefined, memory: [], more: [], taskdoc: {} }, versions: {} };

const runIn = (tree: Tree, { dialog, agent }: RunRef): Run | undefined => tree.runs.get(`${dialog}/${agent}`);

/** The Taskdoc and memory that this run was shown, where they are not as they were. */
function changesOf(
  engine: Engine,
  run: Run,
  { versions }: ReadPapers,
  here: { dialog: DialogId; course: number; agent: Run["agent"]; turn: number },
): TreeEvent[] {
  const watched = new Set([...Object.keys(versions), ...Object.keys(run.docs)]);
  return [...watched].toSorted().flatMap((path): TreeEvent[] => {
    const now = versions[path] ?? engine.deps.documents.read(path)?.hash ?? "";
    if (now === (run.docs[path] ?? "")) return [];
    const content = engine.deps.documents.read(path)?.text;
    const texts = engine.rulebook.texts();
    const text = texts.documentChanged(path, content === undefined ? undefined : excerpt(content, texts.documentCut));
    return [{ type: "note.added", ...here, code: "document_changed", text, docs: { [path]: now } }];
  });
}

/** Where the agent stands, if others have changed that since this turn was told. */
function news(
  engine: Engine,
  tree: LiveTree,
  dialog: Dialog,
  here: { dialog: DialogId; course: number; agent: Run["agent"]; turn: number },
): TreeEvent[] {
  const stands = situationMark(tree.state, dialog);
  if (stands === (turnAt(tree.state, here)?.stands ?? stands)) return [];
  const text = situationNews(tree.state, dialog, here.agent, engine.deps.clock.now(), engine.rulebook.texts());
  return [{ type: "note.added", ...here, code: "situation_changed", text, stands }];
}

/** The context is full: the agent writes itself a summary, and the next course begins with it. Asks, questions and turns stay. */
async function startAnew(
  engine: Engine,
  tree: LiveTree,
  ref: RunRef,
  turn: number,
  member: TeamMember,
  runner: Runner,
  flight: Flight,
): Promise<void> {
  const view = await tree.view(engine.deps.store, ref);
  // A summary, too, is made of what is durable only.
  do await tree.settled;
  while (!tree.isDurable);
  const words = view.words(turn).last;
  const dialog = tree.state.dialogs.get(ref.dialog);
  const { papers } = readPapers(engine.deps.documents, ref.agent, dialog?.taskDocPath ?? "");
  let summary: string;
  let spent: { usage?: Usage; cost?: number | undefined } = {};
  try {
    const segments = new Segments();
    const shown = view.show(tree.state.seq, turn);
    const room = engine.rulebook.rules().team.roomOf(ref.agent) ?? Infinity;
    const history = view.tokens > room ? inShort(shown, SHORT_CHARACTERS) : shown;
    const messages = [...history, { role: "user" as const, text: engine.rulebook.texts().summarise }];
    const system = tree.head(ref, turn, dialog?.course ?? 1, () => engine.rulebook.head(tree.state, ref.dialog, member, papers));
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
    engine.deps.report(error, "summary of a full context");
    summary = "";
  }
  tree.views.forget(ref);
  const failed = summary === "" ? engine.rulebook.texts().summaryFailed(words) : undefined;
  const content = (failed ?? summary).slice(0, SUMMARY_CHARACTERS);
  await engine.writer.record(ref.rootId, (state) =>
    clearForRoom(state, ref.dialog, content, failed !== undefined, spent, engine.rulebook.rules()),
  );
}
