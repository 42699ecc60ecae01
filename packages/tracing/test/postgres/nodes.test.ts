import { openProject } from "@colloquy/library";
import { memoryDocuments } from "@colloquy/runtime";
import { openPostgresStore, storeAddress } from "@colloquy/store-postgres";
import { say } from "@colloquy/testing";
import { TestClock, toldModel } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { newDatabase } from "../../../store-postgres/test/database.ts";
import { StoreSource } from "../../src/store-source.ts";
import { Follower } from "../../src/follower.ts";
import type { Span } from "../../src/span.ts";
import { TEAM } from "../trace-story.ts";

async function node(url: string, place: string) {
  const store = await openPostgresStore(storeAddress(url, "shop"), { place, claims: "all" });
  const model = toldModel({ lead: () => say("Hello.") });
  const project = await openProject({
    dir: "/nowhere",
    store,
    agents: TEAM.slice(0, 1),
    documents: memoryDocuments(),
    model: model.name,
    findModel: () => model,
    report: () => undefined,
  });
  const sent: Span[] = [];
  const clock = new TestClock();
  const send = async (spans: readonly Span[]) => (sent.push(...spans), { kind: "accepted" as const });
  const follower = new Follower({ source: new StoreSource(store), clock, options: {}, send, place: "there", report: () => undefined });
  await follower.start();
  onTestFinished(async () => {
    await follower.close();
    await store.abandon();
  });
  const talk = async () => (await project.dialogs.create({ content: "Hello" })).result();
  const turns = () => sent.filter(({ name }) => name.startsWith("invoke_agent")).length;
  return { store, follower, clock, talk, turns, sent };
}

test("[OT14] one of two nodes sends the spans of both; if it dies, the other takes over", async () => {
  const { url } = await newDatabase();
  const one = await node(url, "place-1");
  const other = await node(url, "place-2");
  await one.talk();
  await other.talk();
  const flushed = async () => {
    await one.follower.flush();
    return one.turns();
  };
  await expect.poll(flushed).toBe(2);
  await other.follower.flush();
  expect(other.sent).toEqual([]);
  await one.store.abandon();
  await other.talk();
  const later = () => {
    other.clock.advance(5_000);
    return other.turns();
  };
  await expect.poll(later).toBe(1);
  const all = [...one.sent, ...other.sent].map(({ spanId }) => spanId);
  expect(new Set(all).size).toBe(all.length);
});
