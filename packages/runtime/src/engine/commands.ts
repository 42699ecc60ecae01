import {
  type Copying,
  decide,
  decideAsking,
  decideCreation,
  decideRevocation,
  deletedText,
  refuseTooLarge,
  refuseUsed,
  type SignedCommand,
} from "@colloquy/core";
import {
  type AgentId,
  type Command,
  type Creation,
  type DialogId,
  Fault,
  type Image,
  mainDialogOf,
  type OutsideQuestion,
  type ProjectEvent,
  type Refusal,
  RootId,
} from "@colloquy/schema";
import type { GrantedApprovals } from "../calls/granted-approvals.ts";
import type { KeptLayers } from "../calls/kept-layers.ts";
import { type Documents, linkedDocument } from "../documents/documents.ts";
import type { Asides } from "../step/asides.ts";
import { mayReplyForBusy, replyForBusy } from "../step/busy-reply.ts";
import { newTitle } from "../step/new-title.ts";
import { refuseUnfit } from "../step/refuse-unfit.ts";
import { type Desk, makeTree, type Outcome } from "./commit.ts";
import { type CopySource, copyTree } from "../copies/copy-tree.ts";
import { type Imported, type Importing, importTrees } from "../copies/import-trees.ts";
import { type Deleted, type Deleting, deleteTree } from "../deletion/delete-tree.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { Driver } from "./driver.ts";
import type { ProjectContext } from "./project-context.ts";

/** An image and its bytes. */
export interface Picture {
  readonly image: Image;
  readonly data: Uint8Array;
}

export type Created =
  | { readonly ok: true; readonly rootId: RootId; readonly seq: number }
  | { readonly ok: false; readonly refusal: Refusal };

interface CommandParts {
  readonly desk: Desk;
  readonly driver: Driver;
  readonly asides: Asides;
  readonly granted: GrantedApprovals;
  readonly layers: KeptLayers;
}

/** The commands that people give to the project. */
export class Commands {
  readonly #context: ProjectContext;
  readonly #parts: CommandParts;
  readonly #imports = new OneAtATime();

  constructor(context: ProjectContext, parts: CommandParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Creates a tree with its first message. Repeating a `msgId` returns the same tree. */
  async create(creation: Creation, agent: AgentId, pictures: readonly Picture[] = []): Promise<Created> {
    const { deps, rulebook } = this.#context;
    const { desk, asides } = this.#parts;
    const rootId = creation.rootId ?? RootId.parse(deps.newId());
    const choose = () => decideCreation(desk.project.state, creation, { rootId, agent, team: rulebook.roster });
    const tooMuch = refuseTooLarge(creation.content, agent, rulebook.rules());
    const linked = refuseLinked(deps.documents, creation.taskDocPath);
    if (linked) return linked;
    // An image is stored before the message that shows it, and only if the dialog will be created.
    if (pictures.length > 0 && !tooMuch && !deps.store.has(rootId) && choose().kind === "made")
      for (const { image, data } of pictures) await deps.store.putBlob(rootId, image.name, data);
    // Decided again: the same request may have been handled meanwhile.
    const decision = choose();
    if (decision.kind === "refused") return { ok: false, refusal: decision.refusal };
    if (decision.kind === "known") {
      await desk.project.settled;
      return { ok: true, rootId: decision.rootId, seq: decision.seq };
    }
    if (tooMuch) return tooMuch;
    if (deps.store.has(rootId)) return { ok: false, refusal: { code: "exists_already", message: `There is a dialog ${rootId} already.` } };
    if (desk.project.state.deleted.has(rootId)) {
      const message = `${deletedText(rootId, desk.project.state)} A new dialog needs an id of its own.`;
      return { ok: false, refusal: { code: "exists_already", message } };
    }
    try {
      await makeTree(desk, rootId, decision);
      if (creation.title === undefined) asides.begin(rootId, (context, live) => newTitle(context, live, creation.content));
      return { ok: true, rootId, seq: decision.seq };
    } catch (error) {
      if (error instanceof Fault && error.code === "log_conflict") return this.create(creation, agent, pictures);
      throw error;
    }
  }

  /** Creates a tree that holds the question of an outside program. Repeating a `msgId` returns the same one. */
  async ask(asking: OutsideQuestion): Promise<Created> {
    const { deps, rulebook } = this.#context;
    const { desk } = this.#parts;
    const rootId = RootId.parse(deps.newId());
    const decision = decideAsking(desk.project.state, asking, { rootId, question: rulebook.idIn(rootId) }, deps.clock.now());
    if (decision.kind === "refused") return { ok: false, refusal: decision.refusal };
    if (decision.kind === "known") {
      await desk.project.settled;
      return { ok: true, rootId: decision.rootId, seq: decision.seq };
    }
    try {
      await makeTree(desk, rootId, decision);
      return { ok: true, rootId, seq: decision.seq };
    } catch (error) {
      if (error instanceof Fault && error.code === "log_conflict") return this.ask(asking);
      throw error;
    }
  }

  /** Creates a tree from the log of another one. */
  copy(copying: Copying, source: CopySource): Promise<Created> {
    return copyTree(this.#context, this.#parts.desk, copying, source);
  }

  /** Creates the trees of a file, one file at a time: two of them may have the same trees. */
  importTrees(importing: Importing): Promise<Imported> {
    return this.#imports.alone("file", () => importTrees(this.#context, this.#parts.desk, importing));
  }

  async give(rootId: RootId, command: Command): Promise<Outcome> {
    const { rulebook, trees, writer } = this.#context;
    const { desk, driver, asides, granted, layers } = this.#parts;
    const refusal = refuseUsed(desk.project.state, command) ?? (await refuseUnfit(this.#context, rootId, command));
    if (refusal) return refusal;
    const isClosing = command.type === "done" || command.type === "archive" || command.type === "dead";
    if (isClosing || command.type === "clear_mind") {
      // A command that is refused or was already carried out waits for nothing.
      const first = await trees.look(rootId, ({ state }) => decide(state, command, rulebook.rules()));
      if (first && (!first.ok || first.events.length === 0)) return first;
    }
    if (isClosing) await this.endWork(rootId, command.dialog, command.by);
    const isLike = command.type === "approve" && command.scope !== undefined && command.scope !== "once";
    const heldParts = isLike ? await granted.partsIn(rootId) : undefined;
    const choose = () => writer.commit(rootId, (tree, live) => decide(tree, command, { ...rulebook.rules(live), heldParts }));
    const outcome = command.type === "clear_mind" ? await this.#betweenSteps(rootId, command.dialog, choose) : await choose();
    if (outcome.ok && command.type === "undo") {
      const refused = await layers.undo(rootId, command.call, outcome.events.length > 0);
      if (refused) return { ok: false, refusal: refused };
    }
    if (outcome.ok && command.type === "stop") await driver.quiet(rootId, { onlyFlights: true });
    if (outcome.ok && command.type === "send" && mayReplyForBusy(outcome.events, rulebook.roster)) {
      asides.begin(rootId, (context, tree) => replyForBusy(context, tree, outcome.events, outcome.seq));
    }
    return outcome;
  }

  /** Deletes a tree with everything in it. */
  delete(deleting: Deleting): Promise<Deleted> {
    const { rootId, by } = deleting;
    return deleteTree(this.#context, this.#parts.desk, deleting, () => this.endWork(rootId, mainDialogOf(rootId), by));
  }

  async revokeGrant(id: string, signed: SignedCommand): Promise<void> {
    await this.#parts.desk.project.decide((project) => decideRevocation(project, id, signed));
  }

  /** Records an event that was signed for the relays. Durable once resolved. */
  async registerSigned(signed: Extract<ProjectEvent, { type: "nostr.signed" }>): Promise<void> {
    await this.#parts.desk.project.decide(() => ({ ok: true, events: [signed] }));
  }

  /** Work in progress ends before a dialog is closed, so that its results are in the log. */
  async endWork(rootId: RootId, dialog: DialogId, by: string): Promise<void> {
    const { rulebook, trees, writer } = this.#context;
    const atWork = await trees.look(rootId, (tree) => [...tree.flights.keys()].map((key) => key.split("/")[0] as DialogId));
    const isMain = (dialog as string) === (rootId as string);
    for (const id of new Set(isMain ? atWork : atWork?.filter((one) => one === dialog))) {
      await writer.commit(rootId, (tree) => decide(tree, { type: "stop", dialog: id, by }, rulebook.rules()));
    }
    await this.#parts.driver.quiet(rootId, { onlyFlights: true });
  }

  /** The step in progress ends first, and no other starts before this is committed. */
  async #betweenSteps(rootId: RootId, dialog: DialogId, choose: () => Promise<Outcome>): Promise<Outcome> {
    const { trees } = this.#context;
    const tree = await trees.hold(rootId);
    if (!tree) return choose();
    try {
      return await tree.betweenSteps.between(dialog, choose);
    } finally {
      trees.release(tree);
    }
  }
}

/** A Taskdoc must be a real folder: nothing is written through a link. */
function refuseLinked(documents: Documents, taskDocPath: string | undefined): Extract<Created, { ok: false }> | undefined {
  const part = taskDocPath === undefined ? undefined : documents.linkIn(taskDocPath);
  if (taskDocPath === undefined || part === undefined) return undefined;
  return { ok: false, refusal: { code: "bad_request", message: linkedDocument(taskDocPath, part) } };
}
