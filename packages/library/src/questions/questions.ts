import { byUrgency, type QuestionChanges, questionChanges, questionView, type Tree } from "@colloquy/core";
import type { Deps, Engine } from "@colloquy/runtime";
import { type Line, type QuestionId, type QuestionStatus, type QuestionView, Refused, type RootId, type TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { type Looks, type Look, treeWith } from "../open/locate.ts";
import { forkDialog } from "../copies/fork-dialog.ts";
import { type Page, pageOf, type PageQuery, partOf } from "../dialogs/page.ts";
import type { ProcessHold } from "../open/process-hold.ts";
import type { Signed } from "../dialogs/signed.ts";
import { unlessAborted } from "../dialogs/unless-aborted.ts";
import { type AnswerInput, type ApproveInput, type DenyInput, type DismissInput, QuestionCommands } from "./question-commands.ts";
import { type AskedPeople, type AskingDeps, type AskInput, askPeople } from "./ask-people.ts";
import { KeptQuestions } from "./kept-questions.ts";
import { followQuestions, onAsked } from "./question-feed.ts";

/** The questions of a project, open and closed. Refusals are thrown as `Refused`. */
export class Questions {
  readonly #deps: Deps;
  readonly #store: Store;
  readonly #kept: KeptQuestions;
  readonly #look: Look;
  /** For lists: a tree that cannot be read is left out. */
  readonly #lookPastDamage: Look;
  readonly #hold: ProcessHold;
  readonly #commands: QuestionCommands;
  readonly #ask: (question: AskInput) => Promise<AskedPeople>;

  /** @internal */
  constructor(
    engine: Engine,
    { look, lookPastDamage }: Looks,
    { hold, names }: Pick<AskingDeps, "names"> & { readonly hold: ProcessHold },
  ) {
    this.#deps = engine.deps;
    this.#store = engine.deps.store;
    this.#kept = new KeptQuestions(engine.deps.store, engine.rulebook);
    this.#look = look;
    this.#lookPastDamage = lookPastDamage;
    this.#hold = hold;
    this.#ask = (question) => askPeople({ commands: engine.commands, look, names }, question);
    this.#commands = new QuestionCommands(
      engine.commands,
      (typed) => this.find(typed),
      (typed, answer) => this.#forkFirst(engine, typed, answer),
    );
  }

  /** Asks people, for a program that is no agent of the team. The question is closed like any other; then its dialog is done. */
  ask = (question: AskInput): Promise<AskedPeople> => this.#ask(question);
  answer = (id: string, answer: AnswerInput | string) => this.#commands.answer(id, answer);
  dismiss = (id: string, how?: DismissInput) => this.#commands.dismiss(id, how);
  askBack = (id: string, content: string, signed?: Signed) => this.#commands.askBack(id, content, signed);
  approve = (id: string, how?: ApproveInput) => this.#commands.approve(id, how);
  deny = (id: string, how?: DenyInput) => this.#commands.deny(id, how);

  /** Open questions of the whole project, those that unblock the most work first. `all`: closed ones as well. */
  list({ all = false, signal }: { readonly all?: boolean | undefined; readonly signal?: AbortSignal | undefined } = {}): Promise<
    readonly QuestionView[]
  > {
    return unlessAborted(signal, () => this.#list(all));
  }

  /** The choice to make a copy: it is made before the answer is recorded, and once, so that a crash in between loses neither. */
  async #forkFirst(engine: Engine, typed: string, { content, choice, by }: Pick<AnswerInput, "content" | "choice" | "by">): Promise<void> {
    const { rootId, id } = await this.find(typed);
    const found = await this.#look(rootId, (tree) => tree.questions.get(id));
    const at = found?.options.findIndex(({ code }) => code === "fork") ?? -1;
    if (!found || at < 0 || found.status !== "open") return;
    const { label } = found.options[at] ?? {};
    const picked = choice === undefined ? [content?.trim()] : typeof choice === "object" ? choice : [choice];
    if (picked.length !== 1 || (picked[0] !== at && picked[0] !== label)) return;
    await forkDialog(engine, rootId, { msgId: `fork ${id}`, ...(by !== undefined && { by }) });
  }

  async #list(all: boolean): Promise<readonly QuestionView[]> {
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
    if (all) found.push(...(await this.#kept.list()));
    return found.toSorted(byUrgency(this.#deps.clock.now()));
  }

  /** Open questions, then each new one, until the signal is aborted. */
  follow({ signal = new AbortController().signal }: { readonly signal?: AbortSignal | undefined } = {}): AsyncGenerator<
    QuestionView,
    void,
    undefined
  > {
    const source = { store: this.#store, open: () => this.#list(false), find: (id: QuestionId) => this.get(id), hold: this.#hold };
    return followQuestions(source, signal);
  }

  /** The number of open questions. */
  count(): number {
    return this.#store.openQuestions();
  }

  /** Calls `listener` for each question that is asked or asked anew. Returns an unsubscribe function. */
  onAsked(listener: (question: QuestionView) => void): () => void {
    return onAsked({ store: this.#store }, (id) => {
      this.get(id)
        .then(listener)
        .catch((error: unknown) => this.#deps.report(error, "a listener"));
    });
  }

  /** A question by its id, or by the name that its agent gave it if that is unique among open questions (of the tree `within`). */
  async get(typed: string, within?: RootId): Promise<QuestionView> {
    const kept = await this.#kept.get(typed);
    if (kept) return kept;
    const { rootId, id } = await this.find(typed, within);
    const view = await this.#look(rootId, (tree) => {
      const question = tree.questions.get(id);
      return question && questionView(tree, question);
    });
    if (!view) throw notThere(id);
    return this.#withWords(view);
  }

  /** The id and tree of a question; see `get`. @internal */
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
    const list = named.slice(0, MAX_NAMED).map(({ id, headline }) => `${id} "${headline}"`);
    const message = `"${typed}" names ${named.length} open questions: ${list.join(", ")}${named.length > MAX_NAMED ? ", …" : ""}. Use the id of one.`;
    throw new Refused({ code: "ambiguous", message });
  }

  /** Questions of any status, those of the newest tree first. */
  async page({ status, ...page }: PageQuery<QuestionStatus> = {}): Promise<Page<QuestionView>> {
    const { items, ...next } = await pageOf(this.#store, this.#lookPastDamage, page, (tree) => questionsOf(tree, status));
    // Its tree may be folded from a snapshot, while the line with the words cannot be read.
    const withWords = (view: QuestionView) => this.#withWords(view).catch(() => view);
    const found = await Promise.all(items.map(withWords));
    // Those of deleted dialogs come last.
    const kept = next.next === undefined ? await this.#kept.list(MAX_KEPT_SHOWN) : [];
    return { items: [...found, ...kept.filter((view) => status === undefined || view.status === status)], ...next };
  }

  /** The questions of one tree, open and closed, newest first. */
  async inTree(rootId: string, { status, after, limit = 100 }: PageQuery<QuestionStatus> = {}): Promise<Page<QuestionView, QuestionId>> {
    const all = await this.#look(rootId as RootId, (tree) => questionsOf(tree, status));
    if (!all) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
    const { items, ...next } = partOf(all, after, limit);
    return { items: await Promise.all(items.map((view) => this.#withWords(view))), ...next };
  }

  /** How a commit changed the questions of a tree. @internal */
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

/** Questions of deleted dialogs at the end of a list. */
const MAX_KEPT_SHOWN = 200;

/** The most candidates that an ambiguity refusal lists. */
const MAX_NAMED = 5;

const notThere = (id: string) => new Refused({ code: "question_not_found", message: `There is no question ${id}.` });
