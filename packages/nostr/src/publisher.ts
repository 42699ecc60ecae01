import {
  Fault,
  type Line,
  type NostrEvent,
  PROJECT_STREAM,
  type ProjectEvent,
  type QuestionId,
  Refused,
  type RootId,
  type TreeEvent,
} from "@colloquy/schema";
import type { Identities } from "./identities.ts";
import { MESSAGE_KIND } from "./kinds.ts";
import type { Commit, NostrProject } from "./nostr-project.ts";
import type { SignedLog } from "./signed-log.ts";
import type { Signer } from "./signer.ts";
import { questionCard } from "./question-card.ts";
import { replyTags } from "./tags.ts";
import { type Publication, TreeThread, type Trigger } from "./tree-thread.ts";

const PAGE_LINES = 1_000;
/** Conversations that are kept in memory. */
const MAX_THREADS = 500;

interface PublisherParts {
  readonly project: NostrProject;
  readonly identities: Identities;
  readonly signer: Signer;
  readonly log: SignedLog;
  /** `31933:PUBKEY:D`. */
  readonly address: string | undefined;
  /** Who may approve calls, and who may talk to the team. */
  readonly people: () => { readonly approve: ReadonlySet<string>; readonly allow: ReadonlySet<string> };
  readonly report: (message: string) => void;
}

/** Follows the log, and signs and registers what belongs to conversations on Nostr. */
export class Publisher {
  /** Everything up to here was signed and registered. */
  pos: number;
  readonly #parts: PublisherParts;
  readonly #threads = new Map<RootId, TreeThread>();
  readonly #commits: Commit[] = [];
  readonly #silent = new Set<string>();
  #working: Promise<void> | undefined;
  #isOver = false;

  constructor(parts: PublisherParts, pos: number) {
    this.#parts = parts;
    this.pos = pos;
  }

  /** Commits that were not followed yet. */
  async catchUp(): Promise<void> {
    const { project, log } = this.#parts;
    for await (const rootId of project.changedSince(this.pos)) {
      if (this.#isOver) return;
      if (log.created.has(rootId)) await this.#follow(rootId);
    }
  }

  committed(commit: Commit): void {
    this.#commits.push(commit);
  }

  /** Works off what was committed. Only one at a time. */
  work(): Promise<void> {
    return (this.#working ??= this.#work().finally(() => (this.#working = undefined)));
  }

  /** What an agent that works now answers. */
  answeredBy(rootId: RootId, agent: string): Trigger | undefined {
    return this.#threads.get(rootId)?.answeredBy(agent);
  }

  stop(): void {
    this.#isOver = true;
  }

  async #work(): Promise<void> {
    for (let commit = this.#commits[0]; commit && !this.#isOver; commit = this.#commits[0]) {
      for (const { stream, line } of commit.lines) if (stream === PROJECT_STREAM) this.#parts.log.see(line as Line<ProjectEvent>);
      for (const { stream, line } of commit.lines) {
        if (stream !== PROJECT_STREAM && this.#parts.log.created.has(stream)) await this.#follow(stream, line as Line<TreeEvent>);
      }
      this.#commits.shift();
      this.pos = Math.max(this.pos, commit.pos);
    }
  }

  async #follow(rootId: RootId, line?: Line<TreeEvent>): Promise<void> {
    try {
      await this.#read(rootId, line);
    } catch (error) {
      // What was seen may not be signed: it is read again from the start.
      this.#threads.delete(rootId);
      if (!(error instanceof Fault) || error.code !== "log_corrupt") throw error;
      this.#parts.report(`Nostr: ${error.message}`);
    }
  }

  async #read(rootId: RootId, line: Line<TreeEvent> | undefined): Promise<void> {
    const { project, log } = this.#parts;
    const thread = this.#threads.get(rootId) ?? new TreeThread(rootId, log.created.get(rootId));
    this.#threads.delete(rootId);
    this.#threads.set(rootId, thread);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > MAX_THREADS && oldest !== undefined) this.#threads.delete(oldest);
    if (line?.seq === thread.seq + 1) return this.#see(rootId, thread, line);
    for (;;) {
      const lines = (await project.lines(rootId, thread.seq, PAGE_LINES)) as readonly Line<TreeEvent>[];
      for (const one of lines) await this.#see(rootId, thread, one);
      if (lines.length === 0) return;
    }
  }

  async #see(rootId: RootId, thread: TreeThread, line: Line<TreeEvent>): Promise<void> {
    for (const publication of thread.see(line))
      if (line.pos > this.pos && !this.#parts.log.isSigned(rootId, publication.cause)) await this.#sign(rootId, publication);
  }

  async #sign(rootId: RootId, publication: Publication): Promise<void> {
    const { cause, is, agent } = publication;
    if (publication.question !== undefined) return this.#ask(rootId, publication, publication.question);
    const event = this.event(publication, MESSAGE_KIND, [], agent);
    if (event) await this.#parts.project.registerSigned({ type: "nostr.signed", rootId, cause, is, event });
  }

  /** Puts a question to the people of its conversation; an approval to those who may give it. */
  async #ask(rootId: RootId, publication: Publication, question: QuestionId): Promise<void> {
    const { project, people } = this.#parts;
    const view = await project.question(question).catch((error: unknown) => {
      if (error instanceof Refused) return undefined;
      throw error;
    });
    if (view?.status !== "open") return;
    const { allow, approve } = people();
    const isApproval = view.kind === "approval";
    if (!isApproval && view.kind !== "question" && view.kind !== "confirmation") return;
    const to = isApproval ? [...approve] : (this.#threads.get(rootId)?.speakers ?? []).filter((key) => allow.has(key));
    if (view.fields !== undefined || to.length === 0) return;
    const content = questionCard(view, project.language);
    const more = [
      ...to.map((key) => ["p", key]),
      ["question", question],
      ...view.options.map(({ label }, nth) => ["choice", String(nth + 1), label]),
    ];
    const event = this.event({ ...publication, content }, MESSAGE_KIND, more, publication.agent);
    const { cause, is } = publication;
    if (event) await project.registerSigned({ type: "nostr.signed", rootId, cause, is, question, shown: view.shown, event });
  }

  /** An event of an agent, signed with its key; undefined if it has none. */
  event(
    said: Trigger & { readonly content: string; readonly is?: Publication["is"] },
    kind: number,
    more: string[][],
    agent: string,
  ): NostrEvent | undefined {
    const { identities, signer, address, report } = this.#parts;
    const secret = identities.secretOf(agent);
    if (secret === undefined) {
      if (!this.#silent.has(agent))
        report(`${agent} has no key for Nostr, and the project has none: what it answers there is not published.`);
      this.#silent.add(agent);
      return undefined;
    }
    const { root, parent, content, is } = said;
    const tags = [
      ...replyTags({ root, parent: is === "question" ? undefined : parent, isFinal: is === "reply", project: address }),
      ...more,
    ];
    return signer.sign({ kind, created_at: Math.floor(Date.now() / 1_000), tags, content }, secret);
  }
}
