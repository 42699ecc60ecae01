import { REDUCER_VERSION } from "@colloquy/core";
import { PROJECT_STREAM, type ProjectEvent } from "@colloquy/schema";
import { memoryBacking, memoryStore } from "@colloquy/store";
import { expect, test } from "vitest";
import { ProjectStream } from "./project-stream.ts";

const clock = { now: () => 0, sleep: () => Promise.reject(new Error("nobody sleeps")) };
const given = (nth: number): ProjectEvent => ({ type: "grant.given", grant: `g${nth}`, pattern: "*", by: "owner" }) as never;

test("[C15] after a crash the project's own stream is read from a recent snapshot", async () => {
  const disk = memoryBacking();
  const project = new ProjectStream(memoryStore(disk), clock);
  await project.load();
  for (let nth = 0; nth < 3_000; nth += 1) {
    const decided = project.decide((state) => ({ ok: true, events: nth === state.seq ? [given(nth)] : [] }));
    if (nth % 7 === 0) await decided; // others are pending when a snapshot is made
  }
  await project.settled;
  // Killed: never closed.
  const store = memoryStore(disk);
  const opened = await store.open(PROJECT_STREAM, REDUCER_VERSION);
  expect(opened?.base?.seq).toBeGreaterThan(2_200);
  const next = new ProjectStream(store, clock);
  await next.load();
  expect(next.state).toEqual(project.state);
});
