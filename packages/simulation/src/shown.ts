import { isDeepStrictEqual } from "node:util";
import { type DialogState, messagesIn, type Stores } from "@colloquy/client";
import { dialogView, entryOf, questionView, type Tree, treeView } from "@colloquy/core";
import type { DialogId, RootId } from "@colloquy/schema";
import { demand } from "./broken.ts";
import type { Ledger } from "./watches/ledger.ts";

// What a page shows when it has caught up: the fold of the log, and nothing else.

/** Values as they go over the wire, where keys without a value are gone. */
const asSent = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

function demandSame(shown: unknown, folded: unknown, what: string): void {
  const [one, other] = [asSent(shown), asSent(folded)];
  demand(isDeepStrictEqual(one, other), "SI23", () => {
    const [a, b] = [one, other].map((value) => JSON.stringify(value) ?? "nothing");
    const at = [...(a ?? "")].findIndex((letter, nth) => letter !== b?.[nth]);
    return `${what}: shown is …${a?.slice(Math.max(0, at - 60), at + 200)}, and the log says …${b?.slice(Math.max(0, at - 60), at + 200)}`;
  });
}

/** A dialog's page: its view, its tree, its events and messages. */
export function demandDialogShown(who: string, dialogId: string, state: DialogState, ledger: Ledger): void {
  const tree = [...ledger.trees.values()].find(({ dialogs }) => dialogs.has(dialogId as DialogId));
  const what = `${who}'s page of ${dialogId}`;
  demand(tree && !state.problem, "SI23", () => `${what} has a problem: ${state.problem?.message ?? "there is no such dialog"}`);
  if (!tree) return;
  const folded = dialogView(tree, dialogId as DialogId, {
    isDriven: true,
    atWork: () => undefined,
    sayings: sayingsOf(ledger, tree.rootId),
    gauge: () => ({}) as never,
  });
  demandSame(withoutGauge(state.view), withoutGauge(folded), `${what}, its view`);
  demandSame(state.tree, treeView(tree), `${what}, its tree`);
  demandSame(state.live, [], `${what}, its live output`);
  demandSame(state.messages, messagesIn(state.events, dialogId), `${what}, its messages`);
  demandEvents(state, { what, dialogId, tree, ledger });
}

interface Shown {
  readonly what: string;
  readonly dialogId: string;
  readonly tree: Tree;
  readonly ledger: Ledger;
}

/** Those that are loaded, each as it is in the log; and without a gap up to its end. */
function demandEvents({ events, hasOlder }: DialogState, { what, dialogId, tree, ledger }: Shown): void {
  for (const { seq, event } of events) demandSame(event, ledger.eventAt(tree.rootId, seq), `${what}, event ${seq}`);
  if (dialogId !== tree.rootId) return;
  const first = hasOlder ? (events[0]?.seq ?? 1) : 1;
  const expected = Array.from({ length: tree.seq - first + 1 }, (_, nth) => first + nth);
  demandSame(
    events.map(({ seq }) => seq),
    expected,
    `${what}, its events`,
  );
}

/** The inbox, the dialogs, the tasks and the counts. */
export function demandListsShown(who: string, stores: Stores, { trees, tasks }: Ledger, projectId: string): void {
  const what = `${who}'s page of ${projectId}`;
  const { dialogs, questions, tasks: taskList } = stores.project(projectId);
  const open = [...trees.values()].flatMap((tree) =>
    [...tree.openQuestions.keys()]
      .flatMap((id) => tree.questions.get(id) ?? [])
      .filter(({ shares }) => shares === undefined)
      .map((question) => questionView(tree, question)),
  );
  demandSame(byId(questions.getSnapshot().open), byId(open), `${what}, its open questions`);

  const { rows = [], hasMore } = dialogs.getSnapshot();
  for (const { rootId, title, status, state, needsDrive, questions: asked } of rows) {
    const entry = entryOf(trees.get(rootId) as Tree);
    const expected = entry && { ...pick(entry), needsDrive: entry.hot, questions: entry.questions ?? [] };
    demandSame({ title, status, state, needsDrive, questions: asked }, expected, `${what}, its row ${rootId}`);
  }
  const listed = new Set(rows.map(({ rootId }) => rootId));
  demand(listed.size === rows.length, "SI23", () => `${what} lists a dialog twice`);
  const missing = [...trees.values()].find((tree) => entryOf(tree)?.status === "running" && !listed.has(tree.rootId));
  demand(hasMore || !missing, "SI23", () => `${what} does not list ${missing?.rootId}`);

  const { tasks: shown, hasMore: hasMoreTasks } = taskList.getSnapshot();
  const all = tasks.all.map((task) => ({ id: task.id, status: tasks.statusOf(task) }));
  if (!hasMoreTasks)
    demandSame(
      byId(shown?.map(({ id, status }) => ({ id: id as string, status }))),
      byId(all.map(({ id, status }) => ({ id: id as string, status }))),
      `${what}, its tasks`,
    );

  const row = stores.projects.getSnapshot()?.find(({ id }) => id === projectId);
  demand(row?.questions === open.length, "SI23", () => `${what} counts ${row?.questions} questions, and there are ${open.length}`);
}

const pick = ({ title, status, state }: NonNullable<ReturnType<typeof entryOf>>) => ({ title, status, state });

const byId = <One extends { readonly id: string }>(all: readonly One[] | undefined) => all?.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** How full a context is depends on the model, of which the log says nothing. */
const withoutGauge = (view: object | undefined): unknown =>
  JSON.parse(JSON.stringify(view ?? null), (key, value: unknown) => (key === "context" ? undefined : value));

function sayingsOf(ledger: Ledger, rootId: RootId): ReadonlyMap<number, string> {
  const sayings = new Map<number, string>();
  for (const { seq, events } of ledger.lines(rootId))
    events.forEach((event, nth) => {
      if (event.type === "ask.opened" || event.type === "ask.answered") sayings.set(seq + nth, event.content);
    });
  return sayings;
}
