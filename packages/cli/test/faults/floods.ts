import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BuiltServer } from "./built-server.ts";
import type { Report } from "./crowd.ts";

const ASK_EVERY_MS = 50;
const MAX_P99_MS = 100;

const SETTINGS = `defaults: { model: scripted/load }
agents:
  lead: { name: Lead, role: "You lead.", tools: [shell, files], default: true }
permissions: { "run_command(npm *)": ask, "run_command(*a*b*c)": deny }
orchestrator: { concurrency: 0 }
`;
// The lead runs, writes or repeats what it hears: so each flood also comes from an agent.
const SCRIPT = `rules:
  - when: { agent: lead, text: "/^run ([\\\\s\\\\S]+)/" }
    do: { call: { tool: run_command, input: { command: "{{match.1}}" } } }
  - when: { agent: lead, text: "/^write ([\\\\s\\\\S]+)/" }
    do: { call: { tool: write_file, input: { path: package.json, content: "{{match.1}}" } } }
  - do: { say: "{{text}}" }
`;

const upTo = (length: number, piece: string): string => piece.repeat(Math.ceil(length / piece.length));
const message = (content: string): string => JSON.stringify({ content, msgId: crypto.randomUUID() });

/** Texts that used to block the server, by kind. */
const BODIES: Readonly<Record<string, string>> = {
  "tiny values": `{"content":[${upTo(4_000_000, "0,")}0]}`,
  "tiny objects": `{"content":[${upTo(4_000_000, "{},")}0]}`,
  "unknown fields": `{${Array.from({ length: 250_000 }, (_, nth) => `"k${nth}":0`).join(",")}}`,
  "a huge key": `{"${upTo(4_000_000, "k")}":0}`,
  "30,000 brackets": upTo(30_000, "["),
  "4 million brackets": upTo(4_000_000, "["),
  "objects within objects": upTo(4_000_000, '{"a":'),
  escapes: `{"content":"${upTo(4_000_000, "\\u0041")}"}`,
};
const WORDS: Readonly<Record<string, string>> = {
  braces: upTo(400_000, "{"),
  "open objects": `open_questions ${upTo(400_000, "{a:")}`,
  "open lists": `open_questions ${upTo(400_000, "{open_questions:[")}`,
  mentions: upTo(400_000, "@lead "),
  asks: upTo(400_000, "!?@lead x\n\n"),
  "escape sequences": upTo(400_000, "\u001b]0;"),
  "braces in a command": `run echo ${upTo(50_000, "{a,b}")}`,
  "substitutions in a command": `run echo ${upTo(50_000, "$(")}`,
  "commands in commands": `run ${upTo(50_000, "find . -exec ")}`,
  "assignments in a command": `run ${upTo(50_000, "a=b ")}`,
  "brackets in a command": `run ${upTo(50_000, "[")}`,
  "a file of short lines": `write ${upTo(1_000_000, "a\n")}`,
};

/** Sends each flood over HTTP and WebSocket while polling health, which must stay fast. */
export async function floods(say: (text: string) => void): Promise<Report> {
  const dir = join(mkdtempSync(join(tmpdir(), "colloquy-floods-")), "shop");
  mkdirSync(join(dir, "scripts"), { recursive: true });
  writeFileSync(join(dir, "colloquy.yaml"), SETTINGS);
  writeFileSync(join(dir, "scripts/load.yaml"), SCRIPT);
  const server = await BuiltServer.start(dir);
  const problems: string[] = [];
  const times: number[] = [];
  const flood = async (name: string, send: () => Promise<void>) => {
    const waits = await whileAsked(server, send);
    times.push(...waits);
    const worst = Math.max(...waits);
    say(`${name}: health took at most ${worst.toFixed(0)} ms`);
  };
  const post = (body: string) => async () => {
    const response = await fetch(`${server.url}/api/projects/shop/dialogs`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
      body,
    });
    if (response.status >= 500) problems.push(`a flood was answered with ${response.status}`);
    await response.body?.cancel();
  };
  for (const [name, body] of Object.entries(BODIES)) {
    await flood(`${name} over HTTP`, post(body));
    await flood(`${name} over WebSocket`, () => overSocket(server, body));
  }
  for (const [name, words] of Object.entries(WORDS)) await flood(`${name} in a message`, post(message(words)));
  await server.end("SIGTERM");
  const p99 = percentile(times, 0.99).toFixed(0);
  if (Number(p99) > MAX_P99_MS) problems.push(`health took ${p99} ms for one in a hundred; ${MAX_P99_MS} ms are allowed`);
  if (problems.length === 0) rmSync(join(dir, ".."), { recursive: true, force: true });
  const line = `${times.length} questions about health while ${Object.keys(BODIES).length * 2 + Object.keys(WORDS).length} floods came: p99 ${p99} ms`;
  return { name: "floods", problems, line };
}

/** How long each health request took, from before the work until a second after it, to include its aftermath. */
async function whileAsked(server: BuiltServer, work: () => Promise<void>): Promise<readonly number[]> {
  const asked: Promise<number>[] = [];
  const ask = async () => {
    const from = performance.now();
    await (await fetch(`${server.url}/api/health`)).json();
    return performance.now() - from;
  };
  const timer = setInterval(() => asked.push(ask()), ASK_EVERY_MS);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  clearInterval(timer);
  return Promise.all(asked);
}

async function overSocket(server: BuiltServer, packet: string): Promise<void> {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/ws`, ["colloquy", `colloquy.${server.token}`]);
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("message", ({ data }) => {
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === "welcome") socket.send(packet);
      if (type === "refused") resolve();
    });
    socket.addEventListener("close", () => resolve());
    socket.addEventListener("error", () => reject(new Error("the socket was refused")));
  });
  socket.close();
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
