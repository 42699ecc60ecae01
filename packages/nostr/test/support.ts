import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type NostrEvent, npubOf, nsecOf } from "@colloquy/schema";
import { onTestFinished } from "vitest";
import { Signer } from "../src/signer.ts";

export const signer = await Signer.load();

const script = fileURLToPath(new URL("./relay.ts", import.meta.url));

export interface Relay {
  readonly url: string;
  kill(): Promise<void>;
  /** With the same events, at the same address. */
  restart(): Promise<void>;
}

/** A relay in a process of its own, with its events on disk. */
export async function startRelay(): Promise<Relay> {
  const dir = mkdtempSync(join(tmpdir(), "colloquy-relay-"));
  let { port, kill } = await run(join(dir, "events.db"), 0);
  onTestFinished(async () => {
    await kill();
    rmSync(dir, { recursive: true, force: true });
  });
  return {
    url: `ws://127.0.0.1:${port}`,
    kill: () => kill(),
    async restart() {
      ({ port, kill } = await run(join(dir, "events.db"), port));
    },
  };
}

async function run(file: string, port: number): Promise<{ port: number; kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [script, file, String(port)], { stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  let complained = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").once("data", resolve);
    child.once("close", () => reject(new Error(complained.trim())));
  });
  return {
    port: Number(line),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

type Said = { readonly content: string; readonly tags?: string[][]; readonly kind?: number; readonly createdAt?: number };

/** Somebody with a key, and a plain connection to a relay. */
export class Person {
  readonly secret = signer.newKey();
  readonly pubkey = signer.publicKey(this.secret);
  readonly npub = npubOf(this.pubkey);
  readonly nsec = nsecOf(this.secret);
  /** What the relay passed on, each event once. */
  readonly heard: NostrEvent[] = [];
  readonly #answers = new Map<string, (isAccepted: boolean) => void>();
  readonly #waiting = new Set<() => void>();
  #ws: WebSocket | undefined;

  async connect(url: string, kinds: readonly number[] = [1111, 21111]): Promise<this> {
    const ws = new WebSocket(url);
    this.#ws = ws;
    onTestFinished(() => ws.close());
    ws.addEventListener("message", ({ data }) => this.#hear(JSON.parse(String(data))));
    await new Promise<void>((resolve, reject) => {
      ws.addEventListener("open", () => resolve());
      ws.addEventListener("error", () => reject(new Error(`no relay at ${url}`)));
    });
    ws.send(JSON.stringify(["REQ", "all", { kinds }]));
    return this;
  }

  sign({ content, tags = [], kind = 1111, createdAt = Math.floor(Date.now() / 1_000) }: Said): NostrEvent {
    return signer.sign({ kind, created_at: createdAt, tags, content }, this.secret);
  }

  async say(said: Said): Promise<NostrEvent> {
    const event = this.sign(said);
    await this.publish(event);
    return event;
  }

  /** Resolves with whether the relay accepted it. */
  publish(event: NostrEvent): Promise<boolean> {
    const answered = new Promise<boolean>((resolve) => this.#answers.set(event.id, resolve));
    this.#ws?.send(JSON.stringify(["EVENT", event]));
    return answered;
  }

  /** The first such event, heard already or later. */
  async hears(fits: (event: NostrEvent) => boolean): Promise<NostrEvent> {
    for (;;) {
      const found = this.heard.find(fits);
      if (found) return found;
      await new Promise<void>((go) => this.#waiting.add(go));
    }
  }

  #hear(frame: readonly unknown[]): void {
    if (frame[0] === "OK") this.#answers.get(String(frame[1]))?.(frame[2] === true);
    const event = frame[2] as NostrEvent;
    if (frame[0] !== "EVENT" || this.heard.some(({ id }) => id === event.id)) return;
    this.heard.push(event);
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }
}

/** The values of a tag, in order. */
export const tag = ({ tags }: NostrEvent, name: string): readonly string[] =>
  tags.flatMap(([one, value]) => (one === name && value !== undefined ? [value] : []));

interface Settings {
  readonly relays: readonly string[];
  readonly allow: readonly string[];
  /** Secret keys by agent; "project" is the project's. */
  readonly keys: Readonly<Record<string, string>>;
  readonly approve?: readonly string[];
  readonly script?: string;
  /** Further settings. */
  readonly more?: string;
}

const SCRIPT = `rules:
  - when: { text: wait for it }
    do: [{ wait: 2s }, { say: "At last." }]
  - do: { say: "I heard: {{text}}" }
`;

/** Puts a team on Nostr: lead and coder answer by a script. */
export function putOnNostr(dir: string, { relays, allow, approve = [], keys, script: rules = SCRIPT, more = "" }: Settings): void {
  const own = (id: string) => (keys[id] === undefined ? "" : `, nostr: { keyEnv: KEY_${id} }`);
  const settings = `defaults: { model: scripted/play }
agents:
  lead: { name: Lead, role: "You lead.", default: true, tools: [files]${own("lead")} }
  coder: { name: Coder, role: "You write code."${own("coder")} }
nostr:
  relays: ${JSON.stringify(relays)}
  allow: ${JSON.stringify(allow)}
  approve: ${JSON.stringify(approve)}
${keys["project"] === undefined ? "" : "  project: { keyEnv: KEY_project, d: shop }\n"}${more}`;
  writeFileSync(join(dir, "colloquy.yaml"), settings);
  writeFileSync(join(dir, "scripts/play.yaml"), rules);
  const lines = Object.entries(keys).map(([id, key]) => `KEY_${id}=${key}\n`);
  writeFileSync(join(dir, ".env"), lines.join(""), { mode: 0o600 });
}
