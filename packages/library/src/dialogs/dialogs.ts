import { type Tree, type TreeNode, treeView } from "@colloquy/core";
import type { Engine, LiveEvent } from "@colloquy/runtime";
import {
  type Comparison,
  type DialogAddress,
  type DialogId,
  type DialogView,
  type Entry,
  type ImageType,
  type Line,
  mainAddress,
  type Phase,
  Refused,
  type RootId,
  type TreeEvent,
  shortId,
} from "@colloquy/schema";
import { follow, isBlobName, type Store } from "@colloquy/store";
import type { DialogReference } from "../open/dialog-reference.ts";
import { type Look, treeWith } from "../open/locate.ts";
import type { ProcessHold } from "../open/process-hold.ts";
import type { DefinedAgent, ResultOf } from "../team/define-agent.ts";
import type { ProjectTeam } from "../team/project-team.ts";
import { type BoundedLines, linesAfter, linesBefore } from "./bounded-lines.ts";
import { compareDialogs } from "../copies/compare-dialogs.ts";
import { type ForkInput, forkDialog } from "../copies/fork-dialog.ts";
import { demandReadable, exportFile } from "../transfer/export-file.ts";
import { createDialog } from "./create-dialog.ts";
import { type ChangeMindInput, type ClearMindInput, DialogCommands, type PhaseInput, type StopInput } from "./dialog-commands.ts";
import { type FoldedTree, foldedTree } from "./folded-tree.ts";
import { DialogHandle } from "./dialog-handle.ts";
import { imageTypeOf } from "./images.ts";
import { readLastWords } from "./last-words.ts";
import type { Message, NewDialog } from "./message.ts";
import type { PageQuery } from "./page.ts";
import { requireText } from "./require-text.ts";
import { asPromised, resultOf } from "./result.ts";
import { seeDialog } from "./see-dialog.ts";
import { acknowledgementsIn, sendMessage } from "./send-message.ts";
import { type Receipt, signature, type Signed } from "./signed.ts";
import { type Listening, subscribe, type TreeListener } from "./subscribe.ts";
import { readTaskdoc, type TaskdocView } from "./taskdoc.ts";
import { undoCall, type UndoReceipt } from "./undo.ts";
import { unlessAborted } from "./unless-aborted.ts";

/** The parts of a project that its dialogs need. */
interface DialogParts {
  readonly engine: Engine;
  readonly team: ProjectTeam;
  readonly hold: ProcessHold;
  readonly look: Look;
  /** Calls in the ledger that end with these digits. */
  readonly callsOf: (digits: string) => Promise<readonly string[]>;
}

/** The dialogs of a project, main and side. Refusals are thrown as `Refused`. */
export class Dialogs {
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #team: ProjectTeam;
  readonly #hold: ProcessHold;
  readonly #look: Look;
  readonly #commands: DialogCommands;
  readonly #undo: Parameters<typeof undoCall>[0];

  /** @internal */
  constructor({ engine, team, hold, look, callsOf }: DialogParts) {
    this.#undo = { engine, look, callsOf };
    this.#engine = engine;
    this.#store = engine.deps.store;
    this.#team = team;
    this.#hold = hold;
    this.#look = look;
    this.#commands = new DialogCommands(engine, (where) => this.address(where));
  }

  /** Starts a main dialog. With an agent defined in code, `result()` returns that agent's output. */
  async create<const Agent extends string | DefinedAgent = string>(options: NewDialog<Agent>): Promise<DialogHandle<ResultOf<Agent>>> {
    const created = await createDialog(this.#engine.commands, this.#team, options);
    return new DialogHandle(this, created.rootId, created.seq, typeof options.agent === "object" ? options.agent : undefined);
  }

  /** A handle for a main dialog. Pass the agent that it was created with to get that agent's output from `result()`. */
  get<const Agent extends DefinedAgent | undefined = undefined>(
    rootId: string,
    { agent }: { readonly agent?: Agent } = {},
  ): DialogHandle<ResultOf<Agent>> {
    return new DialogHandle(this, rootId as RootId, 0, agent);
  }

  /** Main dialogs, newest first. */
  list({ status, after, limit }: PageQuery<Entry["status"]> = {}): readonly Entry[] {
    return this.#store.list({
      ...(status !== undefined && { status }),
      ...(after !== undefined && { after: after as RootId }),
      ...(limit !== undefined && { limit }),
    });
  }

  /** Resolves a whole id, main or side, to the tree that it is in. */
  async address(where: DialogReference): Promise<DialogAddress> {
    if (typeof where === "object") return where;
    const id = requireText("The id of a dialog", where);
    if (this.#store.has(id as RootId)) return mainAddress(id as RootId);
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => tree.dialogs.has(id as DialogId));
    if (rootId !== undefined) return { rootId, selfId: id as DialogId };
    // Another node had just created it.
    if (this.#store.has(id as RootId)) return mainAddress(id as RootId);
    throw this.#noDialog(id);
  }

  async view(where: DialogReference): Promise<DialogView> {
    return seeDialog(this.#engine, await this.address(where));
  }

  /** The tree of a dialog, folded, and what its views need besides. @internal */
  async snapshot(where: DialogReference): Promise<FoldedTree> {
    return foldedTree(this.#engine, await this.address(where));
  }

  /** Who waits for whom in a tree. */
  async tree(rootId: string): Promise<TreeNode> {
    const node = await this.#look(rootId as RootId, treeView);
    if (!node) throw this.#noDialog(rootId);
    return node;
  }

  /** The Taskdoc that the dialog's tree reads, with the version of each section. */
  async taskdoc(where: DialogReference): Promise<TaskdocView> {
    const { documents } = this.#engine.deps;
    const { taskDocPath } = await this.view(where);
    await documents.ready?.([taskDocPath]);
    return readTaskdoc(documents, taskDocPath);
  }

  /** An image of a message or result by its name; undefined if the name is unknown or not an image. */
  async image(where: DialogReference, name: string): Promise<{ readonly data: Uint8Array; readonly mediaType: ImageType } | undefined> {
    const data = isBlobName(name) ? await this.#store.getBlob((await this.address(where)).rootId, name) : undefined;
    const mediaType = data && imageTypeOf(data);
    return data && mediaType && { data, mediaType };
  }

  async send(where: DialogReference, words: Message | string): Promise<Receipt> {
    const message = typeof words === "string" ? { content: words } : words;
    message.signal?.throwIfAborted();
    const address = await this.address(where);
    return unlessAborted(message.signal, () => sendMessage({ context: this.#engine, commands: this.#engine.commands }, address, message));
  }

  /** Busy replies to a message. A model may write one some time after the message. */
  async acknowledgements(where: DialogReference, message: number): Promise<readonly string[]> {
    return acknowledgementsIn(await this.events((await this.address(where)).rootId, message), message);
  }

  /** Changes the phase. The same phase with a summary is a hand-off. */
  setPhase = (where: DialogReference, phase: Phase, how?: PhaseInput) => this.#commands.phase(where, phase, how);
  rename = (where: DialogReference, title: string, signed?: Signed) => this.#commands.rename(where, title, signed);
  stop = (where: DialogReference, how?: StopInput) => this.#commands.stop(where, how);
  done = (where: DialogReference, signed?: Signed) => this.#commands.verb("done", where, signed);
  /** Puts back what a command changed, all of it or nothing, or has a tool undo its call. `call`: the id of its call, or the last digits of it. */
  undo = (call: string, signed?: Signed): Promise<UndoReceipt> => undoCall(this.#undo, call, signed);
  archive = (where: DialogReference, signed?: Signed) => this.#commands.verb("archive", where, signed);
  /** Gives up a side dialog that will not answer, and tells the dialogs that wait for it. */
  dead = (where: DialogReference, signed?: Signed) => this.#commands.verb("dead", where, signed);
  clearMind = (where: DialogReference, how?: ClearMindInput) => this.#commands.clearMind(where, how);
  /** Replaces one section of the Taskdoc. */
  changeMind = (where: DialogReference, selector: "goals" | "constraints" | "progress", content: string, how?: ChangeMindInput) =>
    this.#commands.changeMind(where, selector, content, how);
  addReminder = (where: DialogReference, content: string, signed?: Signed) => this.#commands.remind(where, content, signed);
  /** Deletes the reminder if `content` is undefined. */
  changeReminder = (where: DialogReference, reminder: number, content: string | undefined, signed?: Signed) =>
    this.#commands.changeReminder(where, reminder, content, signed);

  /** Resumes a stopped dialog, or one that a crash interrupted. */
  async resume(where: DialogReference, signed: Signed = {}): Promise<Receipt> {
    const { rootId } = await this.address(where);
    const view = await this.view(where);
    // The interrupted one may be a dialog that this one waits for.
    const isLeft = !view.stopped && (await this.#engine.trees.look(rootId, (tree) => tree.flights.size === 0 && tree.state.ready.size > 0));
    if (isLeft) {
      await this.#engine.recovery.takeUp(rootId);
      return { seq: view.seq };
    }
    return this.#commands.verb("resume", where, signed);
  }

  /** Copies the dialog's tree up to one of its commits, under new ids, stopped; or, with `answer`, as a what-if that works on. */
  async fork<const Agent extends DefinedAgent | undefined = undefined>(
    where: DialogReference,
    how: ForkInput = {},
  ): Promise<DialogHandle<ResultOf<Agent>>> {
    const { rootId } = await this.address(where);
    return this.get(await forkDialog(this.#engine, rootId, how));
  }

  /** Two trees side by side, such as a fork and its original: what they share, and what each did since they parted. */
  async compare(one: DialogReference, other: DialogReference): Promise<Comparison> {
    return compareDialogs(this.#store, (await this.address(one)).rootId, (await this.address(other)).rootId);
  }

  /** Resolves when the tree is idle: no turn can step and none is in flight. False if the signal came first. */
  async quiet(rootId: string, signal?: AbortSignal): Promise<boolean> {
    return this.#engine.driver.quiet(await this.#sought(rootId), { signal });
  }

  /** Waits until the main dialog has nothing open, for as long as that takes, and returns its reply. Throws `Refused` (`stopped`) if it halts. */
  async result(rootId: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<string> {
    const known = await this.#sought(rootId);
    const source = {
      quiet: (id: RootId, until?: AbortSignal) => this.quiet(id, until),
      view: (id: RootId) => this.view(id),
      lastWords: (id: RootId) => this.lastReply(id),
    };
    return this.#hold.during(() => resultOf(source, this.#store, known, signal));
  }

  /** @internal */
  async promised(rootId: RootId, agent?: DefinedAgent, options?: { readonly signal?: AbortSignal | undefined }): Promise<unknown> {
    if (!agent?.output) return this.result(rootId, options);
    const { agentId } = await this.view(rootId);
    if (agentId !== agent.id) {
      const message = `The dialog ${rootId} is ${agentId}'s: what ${agent.id} promises is not to be had there.`;
      throw new Refused({ code: "bad_request", message });
    }
    return asPromised(agent.output, await this.result(rootId, options));
  }

  /** The last reply of the main dialog; empty if it has none. */
  async lastReply(rootId: string): Promise<string> {
    return readLastWords(this, rootId as RootId, await this.head(rootId));
  }

  /** The `seq` of the last event of a dialog's tree, without building a view. */
  async head(where: DialogReference): Promise<number> {
    const { rootId, selfId } = await this.address(where);
    const seq = await this.#look(rootId, (tree: Tree) => (tree.dialogs.has(selfId) ? tree.seq : undefined));
    if (seq === undefined) throw this.#noDialog(selfId);
    return seq;
  }

  /** A file of a dialog's whole tree: its log, its blobs and its Taskdoc, with checksums. `project.import` takes it. */
  async export(where: DialogReference): Promise<AsyncIterable<Uint8Array>> {
    return this.#file([(await this.address(where)).rootId]);
  }

  /** A file of all dialogs as they are at one commit of the project. */
  async exportAll(): Promise<AsyncIterable<Uint8Array>> {
    return this.#file(this.#store.list().map(({ rootId }) => rootId));
  }

  async #file(trees: readonly RootId[]): Promise<AsyncIterable<Uint8Array>> {
    const { documents, clock } = this.#engine.deps;
    await demandReadable(this.#store, trees);
    return exportFile({ store: this.#store, documents, nowMs: clock.now() }, trees);
  }

  entry(rootId: string): Entry | undefined {
    return this.#store.entry(rootId as RootId);
  }

  /** Why a tree cannot be read, with file, line and remedy, as far as known without reading its whole log. */
  damageOf(rootId: string): string | undefined {
    return this.#store.damageOf(rootId as RootId);
  }

  /** Trees with open questions or with calls whose outcome nobody knows. */
  asking(): readonly Entry[] {
    return this.#store.asking().flatMap((rootId) => this.#store.entry(rootId) ?? []);
  }

  /** The number of trees with work to do. */
  atWork(): number {
    return this.#store.hot().length;
  }

  /** Main and side dialogs completed since the project was opened. */
  get completed(): number {
    return this.#engine.dialogsCompleted;
  }

  /** Side dialogs among them. */
  get sideCompleted(): number {
    return this.#engine.sideDialogsCompleted;
  }

  count(status?: Entry["status"]): number {
    return this.#store.count(status);
  }

  /** Trees whose id begins or ends with these digits. */
  find(digits: string, limit = 6): readonly RootId[] {
    return this.#store.find(digits, limit);
  }

  async events(rootId: string, after = 0, limit?: number): Promise<readonly Line<TreeEvent>[]> {
    return (await this.#store.read(await this.#sought(rootId), after, limit)) as readonly Line<TreeEvent>[];
  }

  /** Like `events`, but no more than the server handles without a pause; no lines only at the end. @internal */
  async eventsAfter(rootId: string, after: number, limit: number): Promise<BoundedLines> {
    return linesAfter((cursor, count) => this.events(rootId, cursor, count), after, limit);
  }

  /** The newest ones before `before`, however far that is beyond the end, within the same bounds. @internal */
  async eventsBefore(rootId: string, before: number, limit: number): Promise<BoundedLines> {
    const end = (await this.#look(await this.#sought(rootId), ({ seq }) => seq + 1)) ?? 1;
    return linesBefore((cursor, count) => this.events(rootId, cursor, count), Math.min(before, end), limit);
  }

  /** The events of a tree after `after`, and then new ones as they are committed. */
  follow(rootId: string, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined> {
    return follow(this.#store, this.known(rootId), after, signal) as AsyncGenerator<Line<TreeEvent>, void, undefined>;
  }

  /** The events of a dialog's tree, old and new, and its live text. Returns an unsubscribe function. */
  subscribe(rootId: string, listener: TreeListener, options?: Listening): () => void {
    const known = this.known(rootId);
    const source = {
      follow: this.follow.bind(this),
      onLive: (listen: (event: LiveEvent) => void) => this.#engine.live.add(listen),
      report: (error: unknown) => this.#engine.deps.report(error, "a listener"),
    };
    return subscribe(source, known, listener, options);
  }

  /** Deletes a main dialog with everything in it. What is open in it ends as if it were archived. The Taskdoc stays. */
  async delete(where: DialogReference, signed: Signed = {}): Promise<void> {
    const { rulebook, commands } = this.#engine;
    const isGone = typeof where === "string" && rulebook.isDeleted(where);
    const { rootId, selfId } = isGone ? mainAddress(where as RootId) : await this.address(where);
    if ((selfId as string) !== rootId) {
      const message = `Only a main dialog can be deleted, with all its side dialogs. This one belongs to ${shortId(rootId)}.`;
      throw new Refused({ code: "bad_request", message });
    }
    const deleted = await unlessAborted(signed.signal, () => commands.delete({ rootId, ...signature(signed) }));
    if (!deleted.ok) throw new Refused(deleted.refusal);
  }

  #noDialog(id: string): Refused {
    return new Refused({ code: "not_found", message: this.#engine.rulebook.whyMissing(id) });
  }

  /** The same; another node may just have created it. */
  async #sought(rootId: string): Promise<RootId> {
    if (!this.#store.has(rootId as RootId)) await this.#store.cluster?.catchUp();
    return this.known(rootId);
  }

  /** Throws `Refused` unless the tree exists. @internal */
  known(rootId: string): RootId {
    if (!this.#store.has(rootId as RootId)) throw this.#noDialog(rootId);
    return rootId as RootId;
  }
}
