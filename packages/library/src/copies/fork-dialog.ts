import { mainDialog, type Tree } from "@colloquy/core";
import type { CopySource, Engine } from "@colloquy/runtime";
import { type Line, type QuestionId, Refused, type RootId, shortId, type TreeEvent } from "@colloquy/schema";
import type { Past, Store } from "@colloquy/store";
import { signature, type Signed } from "../dialogs/signed.ts";
import { requireText } from "../dialogs/require-text.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";
import { copiedTaskdoc } from "./copied-taskdoc.ts";

export interface ForkInput extends Signed {
  /** The copy ends with the commit of this event; by default with the last one, or just before the answer that `answer` replaces. */
  readonly at?: number | undefined;
  /** What if this question had been answered like this? The fork then works, and every effect waits for approval. */
  readonly answer?: ForkAnswer | undefined;
}

export interface ForkAnswer {
  readonly question: string;
  readonly content?: string | undefined;
  /** A label, or a number from 0; a list if several may be chosen. */
  readonly choice?: string | number | readonly (string | number)[] | undefined;
}

/** Lines read at once: a few milliseconds of work. */
const LINES_AT_ONCE = 50;

/** Copies a tree up to one of its commits, under new ids. Nothing that happened in it happens again. */
export async function forkDialog(engine: Engine, rootId: RootId, input: ForkInput): Promise<RootId> {
  const { store } = engine.deps;
  const { answer, signal } = input;
  const tree = await engine.trees.look(rootId, ({ state }) => state);
  if (!tree) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
  if (mainDialog(tree)?.program !== undefined)
    throw new Refused({
      code: "bad_request",
      message: "This dialog holds a program's question, and no agent works in it. There is nothing to fork.",
    });
  const at = await cutOf(store, tree, input);
  const source: CopySource = {
    lines: () => linesUpTo(store, rootId, at),
    blobs: () => blobsOf(store, rootId),
    ...copiedTaskdoc(engine.deps.documents, rootId, mainDialog(tree)?.taskDocPath ?? ""),
    ...(answer && { first: { ...answering(tree, answer), by: signature(input).by } }),
  };
  const wish = answer && JSON.stringify([answer.question, answer.content, answer.choice]);
  const copying = { as: "fork" as const, from: rootId, at, ...signature(input), ...(answer && { holds: true, wish }) };
  const made = await unlessAborted(signal, () => engine.commands.copy(copying, source));
  if (!made.ok) throw new Refused(made.refusal);
  await engine.recovery.takeUp(made.rootId);
  return made.rootId;
}

function answering(tree: Tree, { question, content, choice }: ForkAnswer) {
  const found = questionIn(tree, question);
  return {
    type: "answer" as const,
    question: found.id,
    dialog: found.dialog,
    ...(content !== undefined && { content: requireText("content", content) }),
    ...(choice !== undefined && { choice: typeof choice === "object" ? [...choice] : [choice] }),
  };
}

function questionIn(tree: Tree, id: string) {
  const found = tree.questions.get(id as QuestionId);
  if (found) return found;
  throw new Refused({ code: "question_not_found", message: `There is no question ${id} in dialog ${shortId(tree.rootId)}.` });
}

/** The last event that the fork has. */
async function cutOf(store: Store, tree: Tree, { at, answer }: ForkInput): Promise<number> {
  const question = answer && questionIn(tree, answer.question);
  const closed = question?.closed?.seq;
  if (at === undefined) return closed === undefined ? tree.seq : (await lineOf(store, tree.rootId, closed)).seq - 1;
  if (!Number.isInteger(at) || at < 1 || at > tree.seq)
    throw new Refused({ code: "bad_request", message: `at takes the number of an event of this dialog: 1 to ${tree.seq}.` });
  const { seq, events } = await lineOf(store, tree.rootId, at);
  const last = seq + events.length - 1;
  if (question && (last < question.seq || (closed !== undefined && last >= closed))) {
    const until = closed === undefined ? tree.seq : closed - 1;
    throw new Refused({ code: "bad_request", message: `The question was not open then. at takes ${question.seq} to ${until} here.` });
  }
  return last;
}

async function lineOf(store: Store, rootId: RootId, seq: number): Promise<Line<TreeEvent>> {
  const [line] = (await store.read(rootId, seq - 1, 1)) as readonly Line<TreeEvent>[];
  if (!line) throw new Refused({ code: "not_found", message: `Dialog ${shortId(rootId)} has no event ${seq}.` });
  return line;
}

/** The lines up to an event, some at a time. */
async function* linesUpTo(store: Store, rootId: RootId, at: number): AsyncGenerator<readonly Line<TreeEvent>[]> {
  for (let after = 0; after < at;) {
    const lines = (await store.read(rootId, after, LINES_AT_ONCE)) as readonly Line<TreeEvent>[];
    const wanted = lines.filter(({ seq }) => seq <= at);
    const last = wanted.at(-1);
    if (!last) return;
    yield wanted;
    after = last.seq + last.events.length - 1;
    // Other work goes on in between.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

export async function* blobsOf(store: Store, rootId: RootId): Past["blobs"] {
  for (const name of await store.blobNames(rootId)) {
    const content = await store.getBlob(rootId, name);
    if (content) yield { name, content };
  }
}
