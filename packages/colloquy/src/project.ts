import { projectionsOf } from "@colloquy/core";
import type { Engine, LiveEvent, Outcome } from "@colloquy/runtime";
import { AgentId, type Command, type Entry, type Line, mainDialogOf, Refused, type RootId, textOf, type TreeEvent } from "@colloquy/schema";
import { follow, type ListQuery, type Store, type StoreHealth } from "@colloquy/store";
import { costNotices } from "./cost-notices.ts";
import { type DialogView, dialogView } from "./dialog-view.ts";
import type { ProjectTeam } from "./project-team.ts";

export interface NewDialog {
  readonly content: string;
  readonly agent?: string;
  readonly title?: string;
  readonly taskDocPath?: string;
  readonly msgId?: string;
  readonly by?: string;
}

export interface Message {
  readonly content: string;
  readonly msgId?: string;
  readonly by?: string;
}

/** Who did it, and the sender's own name for it: the same one again has the effect of one. */
export interface Signed {
  readonly by?: string;
  readonly msgId?: string;
}

export interface Receipt {
  readonly seq: number;
}

type Verb = Exclude<Command["type"], "send" | "rename">;

/** An open project: everything that the command line and a server do goes through here. Refusals are thrown as `Refused`. */
export class Project {
  readonly dir: string;
  readonly team: ProjectTeam;
  readonly #engine: Engine;
  readonly #store: Store;
  readonly #onClose: () => void;

  constructor(dir: string, team: ProjectTeam, engine: Engine, store: Store, onClose: () => void) {
    this.dir = dir;
    this.team = team;
    this.#engine = engine;
    this.#store = store;
    this.#onClose = onClose;
  }

  async createDialog({ content, agent, title, taskDocPath, msgId, by = "owner" }: NewDialog): Promise<DialogHandle> {
    await this.team.refresh();
    const id = agent ?? this.team.defaultAgent();
    if (id === undefined || !this.team.member(id)) {
      const known = this.team.members().map((member) => member.id);
      const message =
        id === undefined
          ? "The team has no agents. Add one to colloquy.yaml."
          : `There is no agent "${id}". The team: ${known.join(", ")}.`;
      throw new Refused({ code: "unknown_agent", message });
    }
    const created = await this.#engine.create(
      {
        content,
        by,
        ...(agent !== undefined && { agent: AgentId.parse(agent) }),
        ...(title !== undefined && { title }),
        ...(taskDocPath !== undefined && { taskDocPath }),
        ...(msgId !== undefined && { msgId }),
      },
      AgentId.parse(id),
    );
    if (!created.ok) throw new Refused(created.refusal);
    return new DialogHandle(this, created.rootId, created.seq);
  }

  dialog(rootId: RootId): DialogHandle {
    return new DialogHandle(this, rootId, 0);
  }

  async send(rootId: RootId, { content, msgId, by = "owner" }: Message): Promise<Receipt> {
    return this.#command(rootId, { type: "send", content, by, dialog: mainDialogOf(rootId), ...(msgId !== undefined && { msgId }) });
  }

  async rename(rootId: RootId, title: string, { by = "owner", msgId }: Signed = {}): Promise<Receipt> {
    return this.#command(rootId, { type: "rename", title, by, dialog: mainDialogOf(rootId), ...(msgId !== undefined && { msgId }) });
  }

  stop = (rootId: RootId, signed?: Signed) => this.#verb("stop", rootId, signed);
  done = (rootId: RootId, signed?: Signed) => this.#verb("done", rootId, signed);
  archive = (rootId: RootId, signed?: Signed) => this.#verb("archive", rootId, signed);

  /** Lets a stopped dialog go on; one that a crash had interrupted is taken up as well. */
  async resume(rootId: RootId, signed: Signed = {}): Promise<Receipt> {
    const view = await this.view(rootId);
    if (view.state === "interrupted") {
      await this.#engine.takeUp(rootId);
      return { seq: view.seq };
    }
    return this.#verb("resume", rootId, signed);
  }

  /** Takes up what an earlier process left in the middle of something. */
  async takeUp(rootId?: RootId): Promise<void> {
    await this.#engine.takeUp(rootId);
  }

  /** Resolves when the tree is quiet: no turn may step and none is in flight. */
  async quiet(rootId: RootId): Promise<void> {
    await this.#engine.quiet(rootId);
  }

  /** The answer: the words that ended the last turn, once the tree is quiet. Throws `Refused` (`stopped`) when it came to a halt. */
  async result(rootId: RootId): Promise<string> {
    await this.quiet(rootId);
    const view = await this.view(rootId);
    if (view.stopped) throw new Refused({ code: "stopped", message: view.stopped.message });
    return this.lastWords(rootId);
  }

  /** The words that ended the last turn that has ended; empty when none has. */
  async lastWords(rootId: RootId): Promise<string> {
    const { seq } = await this.view(rootId);
    // Backwards, a little more each time: the last turn's end is near the end of the log.
    for (let back = 16; ; back *= 8) {
      const lines = await this.events(rootId, Math.max(0, seq - back));
      const ends = lines.flatMap((line) => line.events).filter((event) => event.type === "step.ended" && event.ends === true);
      const last = ends.at(-1);
      if (last?.type === "step.ended") return textOf(last.parts);
      if (back >= seq) return "";
    }
  }

  async view(rootId: RootId): Promise<DialogView> {
    const view = await this.#engine.look(rootId, (tree) => {
      const tool = [...tree.flights.values()].find((flight) => flight.tool !== undefined)?.tool;
      return dialogView(tree.state, tree.flights.size > 0, tool);
    });
    if (!view) throw new Refused({ code: "not_found", message: `There is no dialog ${rootId}.` });
    return view;
  }

  /** Newest first. */
  dialogs(query?: ListQuery): readonly Entry[] {
    return this.#store.list(query);
  }

  entry(rootId: RootId): Entry | undefined {
    return this.#store.entry(rootId);
  }

  count(status?: Entry["status"]): number {
    return this.#store.count(status);
  }

  /** Trees that begin or end with these digits. */
  find(digits: string, limit = 6): readonly RootId[] {
    return this.#store.find(digits, limit);
  }

  async events(rootId: RootId, after = 0, limit?: number): Promise<readonly Line<TreeEvent>[]> {
    return (await this.#store.read(rootId, after, limit)) as readonly Line<TreeEvent>[];
  }

  /** The events of a tree from `after` on, and then as they come. */
  follow(rootId: RootId, after: number, signal: AbortSignal): AsyncGenerator<Line<TreeEvent>, void, undefined> {
    return follow(this.#store, rootId, after, signal) as AsyncGenerator<Line<TreeEvent>, void, undefined>;
  }

  /** What is said right now. Returns the way to stop listening. */
  onLive(listener: (event: LiveEvent) => void): () => void {
    return this.#engine.live.add(listener);
  }

  /** What a person should know of the settings before they cost anything. */
  notices(): readonly string[] {
    return costNotices(this.team);
  }

  health(): StoreHealth {
    return this.#store.health();
  }

  /** Makes the files for people again from the log. They are written by the time the project is closed. */
  async rewriteFiles(rootId: RootId): Promise<void> {
    await this.#engine.look(rootId, (tree) => this.#store.project(rootId, projectionsOf(tree.state)));
  }

  async close(): Promise<void> {
    this.#onClose();
    await this.#engine.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #verb(type: Verb, rootId: RootId, { by = "owner", msgId }: Signed = {}): Promise<Receipt> {
    return this.#command(rootId, { type, by, dialog: mainDialogOf(rootId), ...(msgId !== undefined && { msgId }) });
  }

  async #command(rootId: RootId, command: Command): Promise<Receipt> {
    const outcome: Outcome = await this.#engine.command(rootId, command);
    if (!outcome.ok) throw new Refused(outcome.refusal);
    return { seq: outcome.seq };
  }
}

/** One dialog of a project. */
export class DialogHandle {
  readonly id: RootId;
  /** Where its last accepted word stands. */
  readonly seq: number;
  readonly #project: Project;

  constructor(project: Project, id: RootId, seq: number) {
    this.#project = project;
    this.id = id;
    this.seq = seq;
  }

  send = (message: Message | string) => this.#project.send(this.id, typeof message === "string" ? { content: message } : message);
  result = () => this.#project.result(this.id);
  view = () => this.#project.view(this.id);
  stop = (signed?: Signed) => this.#project.stop(this.id, signed);
  resume = (signed?: Signed) => this.#project.resume(this.id, signed);
  done = (signed?: Signed) => this.#project.done(this.id, signed);
  archive = (signed?: Signed) => this.#project.archive(this.id, signed);
}
