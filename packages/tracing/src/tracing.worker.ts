// Makes spans from the log and sends them, beside the thread that commits.
import { readlinkSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { masked } from "@colloquy/core";
import { Follower } from "./follower.ts";
import { RemoteSource } from "./remote-source.ts";
import { Sender } from "./sender.ts";
import type { Described, FromThread, ThreadData, ToThread } from "./thread-messages.ts";

const { target, resource, isShared, isContentSent } = workerData as ThreadData;
const post = (message: FromThread): void => parentPort?.postMessage(message);

let described: Described = { names: {}, secrets: [] };
const source = new RemoteSource(isShared, post);
const sender = new Sender(target, resource);
const follower: Follower = new Follower({
  source,
  clock: { now: () => Date.now(), sleep: (ms, signal) => sleep(ms, undefined, { signal }) },
  options: {
    nameOf: (agent) => described.names[agent],
    content: isContentSent ? (text) => masked(text, described.secrets) : undefined,
  },
  send: async (spans, signal) => {
    const verdict = await sender.traces(spans, signal);
    // After the follower has counted it.
    setImmediate(() => post({ type: "state", state: follower.state }));
    return verdict;
  },
  place: sender.place,
  report: (message) => post({ type: "report", message }),
});

const started = follower.start();

/** Where processors are scarce, traces wait for them, and commits don't. Linux gives each thread a priority of its own. */
function yieldToOthers(): void {
  try {
    const thread = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    if (thread !== process.pid) setPriority(thread, constants.priority.PRIORITY_LOW);
  } catch {
    // Another system: it shares the processors evenly.
  }
}

yieldToOthers();

async function carryOut(id: number, order: "flush" | "close"): Promise<void> {
  try {
    await started;
    await (order === "flush" ? follower.flush() : follower.close());
    post({ type: "state", state: follower.state });
    post({ type: "done", id });
  } catch (error) {
    post({ type: "state", state: follower.state });
    post({ type: "done", id, error: error instanceof Error ? error.message : String(error) });
  }
}

parentPort?.on("message", (message: ToThread) => {
  switch (message.type) {
    case "news":
      source.hear(message.isMuch);
      return;
    case "described":
      ({ described } = message);
      return;
    case "answer":
      source.answered(message);
      return;
    case "order":
      void carryOut(message.id, message.order);
  }
});
await started;
