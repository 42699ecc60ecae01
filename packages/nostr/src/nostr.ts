import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { NostrEvent } from "@colloquy/schema";
import { Identities } from "./identities.ts";
import type { Counts } from "./relays/judge.ts";
import { ACCEPTED_KINDS, STREAM_KIND } from "./kinds.ts";
import type { Keys, NostrProject } from "./nostr-project.ts";
import { Outbox } from "./outbox.ts";
import { Publisher } from "./publisher.ts";
import { Receiver } from "./receiver.ts";
import { RelayThread } from "./relays/relay-thread.ts";
import { SignedLog } from "./signed-log.ts";
import { Signer } from "./signer.ts";
import { projectAddress } from "./tags.ts";
import type { Batch } from "./relays/thread-messages.ts";
import { WordStream } from "./word-stream.ts";

export interface NostrOptions {
  readonly project: NostrProject;
  readonly keys: Keys;
  readonly relays: readonly string[];
  /** Who may talk to the team, and who may approve calls, in hex, by the settings of this moment. */
  readonly people: () => Promise<People>;
  /** The project's identifier in its own event. */
  readonly d: string;
  readonly report: (message: string) => void;
}

interface People {
  readonly allow: ReadonlySet<string>;
  readonly approve: ReadonlySet<string>;
}

/** The state of one relay. */
export interface RelayState {
  readonly url: string;
  readonly isConnected: boolean;
  readonly why?: string;
  /** Events that it has not accepted yet. */
  readonly waiting: number;
  /** Events that it will never accept. */
  readonly refused: number;
}

export interface NostrState {
  readonly keys: readonly { readonly name: string; readonly pubkey: string }[];
  readonly relays: readonly RelayState[];
  readonly counts: Counts;
  /** What became of accepted events. */
  readonly handled: Readonly<Record<string, number>>;
}

/** Another process that has the project open may have the cursors. */
const CLAIM_AGAIN_MS = 2_000;
const RETRY_MS = 1_000;
const SAVE_MS = 5_000;
const FOLLOWER = "nostr";

/** A file's name says which relay, whatever its address looks like. */
const cursorName = (way: "in" | "out", relay: string): string =>
  `${FOLLOWER}-${way}-${createHash("sha256").update(relay).digest("hex").slice(0, 16)}`;

const NO_COUNTS: Counts = { accepted: 0, oversized: 0, malformed: 0, foreign: 0, late: 0, repeated: 0, forged: 0 };

/** A project on Nostr: events become messages, and what agents answer becomes events, each once. */
export class Nostr {
  readonly #options: NostrOptions;
  readonly #closing = new AbortController();
  readonly #relays: Map<string, { isConnected: boolean; why: string | undefined; refused: number }>;
  readonly #handled: Record<string, number> = {};
  #identities: Identities | undefined;
  #thread: RelayThread | undefined;
  #outbox: Outbox | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: NostrOptions) {
    this.#options = options;
    this.#relays = new Map(options.relays.map((url) => [url, { isConnected: false, why: undefined, refused: 0 }]));
  }

  /** Returns at once; relays are connected to when the cursors are ours. */
  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      if (!this.#closing.signal.aborted)
        this.#options.report(`Nostr has stopped: ${error instanceof Error ? error.message : String(error)}`);
    });
  }

  async state(): Promise<NostrState> {
    const counts = this.#closing.signal.aborted ? undefined : await this.#thread?.counts();
    return {
      keys: this.#identities?.all ?? [],
      relays: [...this.#relays].map(([url, { isConnected, why, refused }]) => ({
        url,
        isConnected,
        ...(why !== undefined && { why }),
        waiting: this.#outbox?.behind(url) ?? 0,
        refused,
      })),
      counts: counts ?? NO_COUNTS,
      handled: { ...this.#handled },
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { project, relays, report, keys, d } = this.#options;
    const { signal } = this.#closing;
    const signer = await Signer.load();
    const identities = new Identities(keys, project, signer);
    this.#identities = identities;
    const cursors = await this.#claim([FOLLOWER, ...relays.flatMap((url) => [cursorName("in", url), cursorName("out", url)])]);
    if (!cursors) return;
    const posOf = (name: string) => cursors.get(name)?.pos;
    const save = (name: string, pos: number) => {
      project
        .cursor(name)
        .save(pos)
        .catch((error: unknown) => report(`Nostr: ${String(error)}`));
    };
    const head = project.head();
    const outbox = new Outbox({
      cursors: new Map(relays.map((url) => [url, posOf(cursorName("out", url)) ?? head])),
      publish: (relay, id, text) => this.#thread?.publish(relay, id, text),
      save: (relay, pos) => save(cursorName("out", relay), pos),
    });
    this.#outbox = outbox;
    for (const url of relays) if (posOf(cursorName("out", url)) === undefined) await project.cursor(cursorName("out", url)).save(head);
    if (posOf(FOLLOWER) === undefined) await project.cursor(FOLLOWER).save(head);

    const waiting: [number, NostrEvent][] = [];
    const log = new SignedLog((pos, { event }) => (this.#thread ? outbox.add(pos, event) : waiting.push([pos, event])));
    const address = identities.project === undefined ? undefined : projectAddress(identities.project, d);
    this.#people = await this.#options.people();
    const people = () => this.#people;
    const publisher = new Publisher({ project, identities, signer, log, address, people, report }, posOf(FOLLOWER) ?? head);
    const stopFollowing = project.onCommit((commit) => {
      publisher.committed(commit);
      void this.#work(publisher);
    });
    const words = new WordStream(({ rootId, agent, text, sequence }) => {
      const trigger = publisher.answeredBy(rootId, agent);
      const event = trigger && publisher.event({ ...trigger, content: text }, STREAM_KIND, [["sequence", String(sequence)]], agent);
      if (event) this.#thread?.stream(JSON.stringify(["EVENT", event]));
    });
    const stopWords = project.onLive((event) => words.hear(event));
    const saving = setInterval(() => this.#savePosition(publisher, log), SAVE_MS);
    try {
      await log.read(project);
      const authors = [...new Set([...this.#people.allow, ...this.#people.approve])];
      const mayApprove = (pubkey: string) => this.#people.approve.has(pubkey);
      const isAllowed = (pubkey: string) => this.#people.allow.has(pubkey) || mayApprove(pubkey);
      const receiver = new Receiver({ project, identities, log, isAllowed, mayApprove, report });
      this.#thread = new RelayThread(
        {
          relays: relays.map((url) => ({ url, cursor: posOf(cursorName("in", url)) })),
          policy: { kinds: ACCEPTED_KINDS, authors },
          authKey: identities.authKey,
        },
        {
          batch: (batch) => this.#receive(receiver, batch, (relay, second) => save(cursorName("in", relay), second)),
          accepted: (relay, id) => outbox.done(relay, id),
          refused: (relay, id, why) => this.#refused(relay, id, why),
          state: (relay, isConnected, why) => this.#connected(relay, isConnected, why),
          failed: (error) => report(`Nostr: the thread of the relays ended; restart the server. ${error.message}`),
        },
      );
      for (const [pos, event] of waiting) outbox.add(pos, event);
      await publisher.catchUp();
      await this.#work(publisher);
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    } finally {
      clearInterval(saving);
      stopFollowing();
      stopWords();
      words.stop();
      publisher.stop();
      await publisher.work().catch(() => undefined); // what is left is followed again at the next start
      await this.#thread?.close();
      await this.#savePosition(publisher, log);
      for (const name of cursors.keys()) await project.cursor(name).release();
    }
  }

  #people: People = { allow: new Set(), approve: new Set() };
  #savedPos = 0;

  /** All cursors, or none: one process at a time speaks for the project. Undefined if it is closed before that. */
  async #claim(names: readonly string[]): Promise<ReadonlyMap<string, { readonly pos: number | undefined }> | undefined> {
    const { project } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const claimed = new Map<string, { readonly pos: number | undefined }>();
      for (const name of names) {
        const found = await project.cursor(name).claim();
        if (!found) break;
        claimed.set(name, found);
      }
      if (claimed.size === names.length) return claimed;
      for (const name of claimed.keys()) await project.cursor(name).release();
      await sleep(CLAIM_AGAIN_MS, undefined, { signal }).catch(() => undefined); // closing
    }
    return undefined;
  }

  /** Works off the commits; what fails is tried again until it works or we close. */
  async #work(publisher: Publisher): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        return await publisher.work();
      } catch (error) {
        this.#options.report(`Nostr: ${error instanceof Error ? error.message : String(error)}`);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined); // closing
      }
    }
  }

  async #receive(receiver: Receiver, { events, relay, readTo }: Batch, save: (relay: string, second: number) => void): Promise<void> {
    const { signal } = this.#closing;
    this.#people = await this.#options.people();
    for (const event of events) {
      while (!signal.aborted) {
        try {
          const outcome = await receiver.handle(event);
          this.#handled[outcome] = (this.#handled[outcome] ?? 0) + 1;
          break;
        } catch (error) {
          this.#options.report(`Nostr: ${error instanceof Error ? error.message : String(error)}`);
          await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined); // closing
        }
      }
    }
    if (readTo !== undefined && !signal.aborted) save(relay, readTo);
  }

  #refused(relay: string, id: string, why: string): void {
    const state = this.#relays.get(relay);
    if (state) state.refused += 1;
    this.#outbox?.done(relay, id);
    this.#options.report(`${relay} refused an event for good: ${why.slice(0, 200)}`);
  }

  #connected(relay: string, isConnected: boolean, why: string | undefined): void {
    const state = this.#relays.get(relay);
    if (!state) return;
    // Said once, not at each attempt.
    if (!isConnected && (state.isConnected || state.why === undefined)) this.#options.report(`No connection to ${relay}; trying again.`);
    state.isConnected = isConnected;
    state.why = why;
  }

  async #savePosition(publisher: Publisher, log: SignedLog): Promise<void> {
    const { pos } = publisher;
    if (pos === this.#savedPos) return;
    this.#savedPos = pos;
    try {
      await this.#options.project.cursor(FOLLOWER).save(pos);
      log.forget(pos);
    } catch {
      // it is only a place to continue from: the next save, or the next start, does more again
    }
  }
}
