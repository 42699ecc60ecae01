import { Fault, type NostrEvent, npubOf, Phase, Refused, type RootId } from "@colloquy/schema";
import type { Identities } from "./identities.ts";
import type { Message, NostrProject } from "./nostr-project.ts";
import { originOf } from "./origin.ts";
import { readReply } from "./reply-text.ts";
import type { AskedHere, SignedLog } from "./signed-log.ts";
import { type Read, readTags } from "./tags.ts";

/** What became of an event: a message for agents, part of a history, or nothing. `refused`: the project said no, for good. */
export type Outcome = "routed" | "answered" | "history" | "ignored" | "repeated" | "refused";

const WORDS = {
  en: { branch: "Branch", article: "Article" },
  zh: { branch: "分支", article: "文章" },
} as const;

interface ReceiverParts {
  readonly project: NostrProject;
  readonly identities: Identities;
  readonly log: SignedLog;
  /** Whose events are accepted now, in hex. */
  readonly isAllowed: (pubkey: string) => boolean;
  readonly mayApprove: (pubkey: string) => boolean;
  readonly report: (message: string) => void;
}

/** Brings genuine events to their dialogs. Doing it again changes nothing. Throws what may pass, such as a full disk. */
export class Receiver {
  readonly #parts: ReceiverParts;

  constructor(parts: ReceiverParts) {
    this.#parts = parts;
  }

  async handle(event: NostrEvent): Promise<Outcome> {
    if (!this.#parts.isAllowed(event.pubkey)) return "refused";
    try {
      return await this.#route(event, readTags(event));
    } catch (error) {
      if (error instanceof Refused) return "refused";
      if (!(error instanceof Fault)) throw error;
      // Others go on: this one dialog cannot be read.
      if (error.code !== "log_corrupt") throw error;
      this.#parts.report(`Nostr: ${error.message}`);
      return "refused";
    }
  }

  async #route(event: NostrEvent, read: Read): Promise<Outcome> {
    const { project, identities, log } = this.#parts;
    // A conversation is named by the event that began it.
    const rootId = read.root.id as RootId;
    const mentions = identities.addressed(read.to, event.pubkey, read.phase);
    const message = { content: this.#content(event, read), mentions, by: npubOf(event.pubkey), msgId: originOf(event, read.root) };
    if (log.created.get(rootId) === message.msgId) return "repeated";
    const asked = log.question(read.answers);
    if (asked && (await this.#decide(event, asked, message))) return "answered";
    const [first] = mentions;
    if (project.has(rootId)) {
      await this.#setPhase(rootId, message, read);
      await project.send(rootId, message);
      return first === undefined ? "history" : "routed";
    }
    if (first === undefined) return "ignored";
    await project.create(rootId, first, message);
    // Its commit may not have been told of yet.
    log.created.set(rootId, message.msgId);
    await this.#setPhase(rootId, message, read);
    return "routed";
  }

  /** True if it decided the question, now or earlier. What decides nothing is a message like any other. */
  async #decide(event: NostrEvent, { question: id, shown }: AskedHere, { by, msgId }: Pick<Message, "by" | "msgId">): Promise<boolean> {
    const { project, mayApprove } = this.#parts;
    try {
      const question = await project.question(id);
      const decision = readReply(question, event.content);
      if (!decision || (question.kind === "approval" && !mayApprove(event.pubkey))) return false;
      const { kind, ...how } = decision;
      await project[kind](id, { ...how, by, msgId, shown, proof: event });
      return true;
    } catch (error) {
      // It is over, it has changed, or this is no valid choice: the agents are told what was said.
      if (error instanceof Refused) return false;
      throw error;
    }
  }

  #content({ content }: NostrEvent, { articles, branch }: Read): string {
    const words = WORDS[this.#parts.project.language];
    const more = [
      ...(branch === undefined ? [] : [`${words.branch}: ${branch.slice(0, 200)}`]),
      ...articles.map((one) => `${words.article}: ${one}`),
    ];
    return more.length === 0 ? content : `${content}\n\n${more.join("\n")}`;
  }

  async #setPhase(rootId: RootId, { by, msgId }: { readonly by: string; readonly msgId: string }, { phase }: Read): Promise<void> {
    const known = Phase.safeParse(phase);
    if (!known.success) return;
    try {
      await this.#parts.project.setPhase(rootId, { phase: known.data, by, msgId: `${msgId}:phase` });
    } catch (error) {
      // The phase cannot follow the one before: the message counts all the same.
      if (!(error instanceof Refused)) throw error;
    }
  }
}
