import { byUrgency, noticeView, notificationsOf, type QuestionChanges, questionChanges, questionView, type Tree } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import {
  type Line,
  type Notification,
  type QuestionId,
  type QuestionStatus,
  type QuestionView,
  Refused,
  type RootId,
  type TreeEvent,
} from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { type Look, treeWith } from "../open/locate.ts";
import { type Page, pageOf, type PageQuery, partOf } from "../dialogs/page.ts";
import type { ProcessHold } from "../open/process-hold.ts";
import { followQuestions, onAsked } from "./question-feed.ts";

export interface NotificationQuery extends PageQuery<Notification["status"]> {
  readonly kind?: Notification["kind"] | undefined;
}

/** What waits for people, and what once did: questions, and notifications of those that were raised together. */
export class Inbox {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #look: Look;
  /** For lists: a tree that cannot be read is left out. */
  readonly #lookPastDamage: Look;
  readonly #hold: ProcessHold;

  constructor(
    engine: Engine,
    store: Store,
    { look, lookPastDamage }: { readonly look: Look; readonly lookPastDamage: Look },
    hold: ProcessHold,
  ) {
    this.#engine = engine;
    this.#store = store;
    this.#look = look;
    this.#lookPastDamage = lookPastDamage;
    this.#hold = hold;
  }

  /** What frees most work first. */
  async list(all: boolean): Promise<readonly QuestionView[]> {
    const found: QuestionView[] = [];
    const trees = all ? this.#store.list().map((entry) => entry.rootId) : this.#store.asking();
    for (const rootId of trees) {
      const views = await this.#lookPastDamage(rootId, (tree) =>
        [...tree.questions.values()]
          .filter((one) => all || (one.status === "open" && one.shares === undefined))
          .map((one) => questionView(tree, one)),
      );
      found.push(...(views ?? []));
    }
    return found.toSorted(byUrgency(this.#engine.deps.clock.now()));
  }

  follow(signal: AbortSignal): AsyncGenerator<QuestionView, void, undefined> {
    const source = { store: this.#store, open: () => this.list(false), find: (id: QuestionId) => this.question(id), hold: this.#hold };
    return followQuestions(source, signal);
  }

  onAsked(listener: (question: QuestionView) => void): () => void {
    return onAsked({ store: this.#store }, (id) => {
      this.question(id)
        .then(listener)
        .catch((error: unknown) => this.#engine.deps.report(error, "a listener"));
    });
  }

  /** By its id, or by what its agent called it. */
  async question(typed: string, within?: RootId): Promise<QuestionView> {
    const { rootId, id } = await this.find(typed, within);
    const view = await this.#look(rootId, (tree) => {
      const question = tree.questions.get(id);
      return question && questionView(tree, question);
    });
    if (!view) throw notThere(id);
    return this.#withWords(view);
  }

  /** A question by its id; or the open one that its agent called so, in one tree or in all, if it is the only one. */
  async find(typed: string, within?: RootId): Promise<{ readonly rootId: RootId; readonly id: QuestionId }> {
    const rootId = await treeWith(this.#store, this.#look, typed, (tree) => tree.questions.has(typed));
    if (rootId !== undefined) return { rootId, id: typed as QuestionId };
    const named = (within === undefined ? this.#store.asking() : [within]).flatMap((tree) =>
      (this.#store.entry(tree)?.questions ?? []).flatMap(({ given, id, headline }) =>
        given === typed ? [{ rootId: tree, id, headline }] : [],
      ),
    );
    const [only, another] = named;
    if (!only) throw notThere(typed);
    if (!another) return only;
    const list = named.slice(0, NAMED).map(({ id, headline }) => `${id} "${headline}"`);
    const message = `"${typed}" names ${named.length} open questions: ${list.join(", ")}${named.length > NAMED ? ", …" : ""}. Use the id of one.`;
    throw new Refused({ code: "ambiguous", message });
  }

  async page({ status, ...page }: PageQuery<QuestionStatus>): Promise<Page<QuestionView>> {
    const { items, ...next } = await pageOf(this.#store, this.#lookPastDamage, page, (tree) => questionsOf(tree, status));
    // Its tree may be folded from a snapshot, while the line with the words cannot be read.
    const withWords = (view: QuestionView) => this.#withWords(view).catch(() => view);
    return { items: await Promise.all(items.map(withWords)), ...next };
  }

  async inTree(rootId: RootId, { status, after, limit = 100 }: PageQuery<QuestionStatus>): Promise<Page<QuestionView, QuestionId>> {
    const all = await this.#look(rootId, (tree) => questionsOf(tree, status));
    if (!all) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
    const { items, ...next } = partOf(all, after, limit);
    return { items: await Promise.all(items.map((view) => this.#withWords(view))), ...next };
  }

  async notifications({ status, kind, after, limit = 100 }: NotificationQuery): Promise<Page<Notification, string>> {
    const isWanted = (one: Notification) => (status === undefined || one.status === status) && (kind === undefined || one.kind === kind);
    const pick = (tree: Tree) => notificationsOf(tree).filter(isWanted);
    const notices = kind === undefined || kind === "notice" ? this.#engine.notices.all().map(noticeView).filter(isWanted).toReversed() : [];
    if (kind === "notice") return partOf(notices, after, limit);
    if (status !== "open") {
      const { items, ...next } = await pageOf(this.#store, this.#lookPastDamage, { limit, after }, pick);
      return { items: after === undefined ? [...notices, ...items] : items, ...next };
    }
    const found = await Promise.all(this.#store.asking().map((rootId) => this.#lookPastDamage(rootId, pick)));
    return { items: [...notices, ...found.flatMap((some) => some ?? [])].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)) };
  }

  notice(id: string): Notification | undefined {
    const notice = this.#engine.notices.get(id);
    return notice && noticeView(notice);
  }

  async notification(id: string): Promise<Notification> {
    const notice = this.notice(id);
    if (notice) return notice;
    const has = (tree: Tree) => notificationsOf(tree).find((one) => one.id === id);
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => has(tree) !== undefined);
    const found = rootId && (await this.#look(rootId, has));
    if (!found) throw new Refused({ code: "not_found", message: `There is no notification ${id}.` });
    return found;
  }

  changes(rootId: RootId, line: Line<TreeEvent>): Promise<QuestionChanges | undefined> {
    return this.#look(rootId, (tree) => questionChanges(tree, line));
  }

  /** A closed question's words are in the log only. */
  async #withWords(view: QuestionView): Promise<QuestionView> {
    if (view.status === "open") return view;
    const lines = (await this.#store.read(view.dialog.rootId, view.seq - 1, 1)) as readonly Line<TreeEvent>[];
    const asked = lines.flatMap((line) => line.events).find((event) => event.type === "question.asked" && event.question === view.id);
    return asked?.type === "question.asked" ? { ...view, text: asked.text, options: asked.options ?? [] } : view;
  }
}

/** Newest first. */
const questionsOf = (tree: Tree, status: QuestionStatus | undefined): QuestionView[] =>
  [...tree.questions.values()]
    .filter((one) => status === undefined || one.status === status)
    .toReversed()
    .map((one) => questionView(tree, one));

/** So many are named where several are meant. */
const NAMED = 5;

const notThere = (id: string) => new Refused({ code: "question_not_found", message: `There is no question ${id}.` });
