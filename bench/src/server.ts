import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openProject, type Project } from "@colloquy/library";
import type { Model, ModelChunk } from "@colloquy/models";
import { startServer } from "@colloquy/server";
import { BareFile, median, newFolder } from "./bare.ts";
import type { Figure } from "./figure.ts";
import { WORDS } from "./instant-model.ts";
import { benchProject } from "./project.ts";

const TOKEN = "a-token-for-the-bench-that-is-long-enough";

const serverOver = (project: Project) =>
  startServer({ projects: [project], token: TOKEN, port: 0, version: "bench", report: (message) => console.error(message) });

/** From a message packet to the moment the model is called, against one bare write and sync. */
export async function packetToModel(): Promise<Figure[]> {
  let called = () => {};
  const project = await benchProject("packet", () => {
    called();
    return { say: "Yes." };
  });
  const server = await serverOver(project);
  const bare = new BareFile(newFolder("packet-bare"));
  const dialog = await project.dialogs.create({ content: WORDS });
  await dialog.result();
  const ws = new WebSocket(`${server.url.replace("http", "ws")}/ws`, ["colloquy", `colloquy.${TOKEN}`]);
  await once(ws as never, "message");
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < 1_200; round++) {
    const content = {
      type: "drive_dlg_by_user_msg",
      requestId: `r${round}`,
      dialog: { rootId: dialog.id },
      content: WORDS,
      msgId: `m${round}`,
    };
    const reached = new Promise<void>((resolve) => (called = resolve));
    const startedAt = performance.now();
    ws.send(JSON.stringify(content));
    await reached;
    const ms = performance.now() - startedAt;
    await project.dialogs.quiet(dialog.id);
    if (round < 600) continue;
    ours.push(ms);
    theirs.push(bare.write([500]));
  }
  ws.close();
  bare.close();
  await server.close();
  await project.close();
  return [
    {
      name: "message packet until the model is called",
      value: median(ours) / median(theirs),
      unit: "× bare write and sync",
      limit: 4,
      note: `${median(ours).toFixed(2)} ms against ${median(theirs).toFixed(2)} ms`,
    },
  ];
}

interface Readers {
  ready(): Promise<void>;
  /** Bytes and chunks received over all sockets. */
  count(): Promise<{ readonly bytes: number; readonly chunks: number; readonly least: number; readonly most: number }>;
  end(): Promise<void>;
}

/** Sockets in a separate process, like real clients. */
function readers(url: string, sockets: number, dialogs: readonly string[]): Readers {
  const child = fork(fileURLToPath(new URL("./readers.ts", import.meta.url)), [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const answer = async (message: object) => {
    child.send(message);
    const [said] = (await once(child, "message")) as [unknown];
    return said as never;
  };
  return {
    ready: () => answer({ url, token: TOKEN, sockets, dialogs }),
    count: () => answer({ count: true }),
    async end() {
      child.kill();
      await once(child, "exit");
    },
  };
}

const SUBSCRIBERS = 1_000;

/** The cost of a subscriber to an idle dialog. */
export async function idleSubscribers(): Promise<Figure[]> {
  const project = await benchProject("idle", () => ({ say: "Yes." }));
  const dialog = await project.dialogs.create({ content: WORDS });
  await dialog.result();
  const server = await serverOver(project);
  // The first thousand make the process grow once; that is not the cost of a subscriber.
  const first = readers(server.url, SUBSCRIBERS, [dialog.id]);
  await first.ready();
  const before = { heap: memory(), rss: process.memoryUsage.rss() };
  const idle = readers(server.url, SUBSCRIBERS, [dialog.id]);
  await idle.ready();
  const heap = (memory() - before.heap) / SUBSCRIBERS / 1024;
  const each = (process.memoryUsage.rss() - before.rss) / SUBSCRIBERS / 1024;
  await idle.end();
  await first.end();
  await server.close();
  await project.close();
  return [
    {
      name: "an idle subscriber",
      value: heap,
      unit: "kB",
      limit: 20,
      note: `${SUBSCRIBERS} more sockets with a subscription each, beside as many: heap and buffers after a collection; the process grew by ${each.toFixed(1)} kB each`,
    },
  ];
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function memory(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const DIALOGS = 100;
const SOCKETS = 200;
const CHUNK_MS = 20;
const SECONDS = 10;
const CHUNK = "A few more words of it. ";

/** Many dialogs stream at once, and every client watches all of them. */
export async function streaming(): Promise<Figure[]> {
  let isOver = false;
  let chunks = 0;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const model: Model = {
    name: "bench/stream",
    provider: "bench",
    contextWindow: undefined,
    price: undefined,
    async *stream(): AsyncGenerator<ModelChunk> {
      yield { type: "saying.started" };
      await begun;
      // Each at its own moment within the time of a chunk.
      for (let next = performance.now() + Math.random() * CHUNK_MS; !isOver; next += CHUNK_MS) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - performance.now())));
        chunks++;
        yield { type: "saying.chunk", text: CHUNK };
      }
      yield { type: "saying.finished" };
      yield { type: "finished", usage: { input: 1, output: 1 }, sessionId: undefined };
    },
  };
  const dir = newFolder("stream");
  const project = await openProject({
    dir,
    agents: Array.from({ length: DIALOGS }, (_, nth) => ({ id: `a${nth}`, role: "You speak." })),
    model: model.name,
    findModel: (name) => ({ ...model, name, provider: `bench${Math.random()}` }),
  });
  const server = await serverOver(project);
  const dialogs: string[] = [];
  for (let nth = 0; nth < DIALOGS; nth++) dialogs.push((await project.dialogs.create({ content: "Speak", agent: `a${nth}` })).id);
  const watching = readers(server.url, SOCKETS, dialogs);
  await watching.ready();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  begin();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  delay.enable();
  const { user, system } = process.cpuUsage();
  const from = chunks;
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1_000));
  const p99 = delay.percentile(99) / 1e6 - 5;
  const cpu = process.cpuUsage({ user, system });
  const rate = (chunks - from) / SECONDS / DIALOGS;
  const { bytes } = await watching.count();
  isOver = true;
  for (const id of dialogs) await project.dialogs.quiet(id as never);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const { least, most } = await watching.count();
  const spoken = chunks * CHUNK.length;
  await watching.end();
  await server.close();
  await project.close();
  const held = `${rate.toFixed(1)} chunks/s of each dialog, ${(bytes / 12 / 1024 / 1024).toFixed(0)} MB/s, ${((cpu.user + cpu.system) / SECONDS / 1e4).toFixed(0)} % of a core`;
  return [
    { name: "100 dialogs to 200 sockets: loop delay", value: p99, unit: "ms, p99", limit: 30, note: held },
    { name: "  chunks that were held", value: rate, unit: "per second and dialog", limit: 49, atLeast: true, note: "of 50" },
    {
      name: "  letters that each socket got",
      value: least / spoken,
      unit: "of those spoken",
      limit: 1,
      atLeast: true,
      note: `${least} to ${most} of ${spoken}`,
    },
  ];
}
