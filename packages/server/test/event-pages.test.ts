import type { Recorded } from "@colloquy/schema";
import { say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { connect, served } from "./support.ts";

const P = "/projects/shop";
const LONG = "word ".repeat(50_000);

/** A dialog with eight messages of 250,000 characters each. */
async function longDialog() {
  const { project, server, api } = await served({ lead: () => say("Read.") });
  const { id } = await project.dialogs.create({ content: "Go", msgId: "m0" });
  for (let nth = 1; nth <= 8; nth++) {
    await project.dialogs.send(id, { content: LONG, msgId: `m${nth}` });
    await project.dialogs.quiet(id);
  }
  const all = (await project.dialogs.events(id)).flatMap((line) => line.events);
  return { server, api, id, path: `${P}/dialogs/${id}`, count: all.length };
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length;
const seqs = (pages: readonly (readonly Recorded[])[]): readonly number[] => pages.flat().map(({ seq }) => seq);

test("[ST14] long events come in short pages, forward and backward, without gap or overlap", async () => {
  const { api, path, count } = await longDialog();
  const pages = async (from: string, key: "after" | "before") => {
    const found: Recorded[][] = [];
    for (let cursor: string | undefined = from; cursor !== undefined;) {
      const { body }: { body: { events: Recorded[]; next?: string } } = await api("GET", `${path}/events?${key}=${cursor}`);
      found.push(body.events);
      cursor = body.next;
    }
    return found;
  };
  const forward = await pages("0", "after");
  const backward = (await pages(String(count + 1), "before")).toReversed();
  const every = Array.from({ length: count }, (_, nth) => nth + 1);
  expect(seqs(forward)).toEqual(every);
  expect(seqs(backward)).toEqual(every);
  for (const page of [...forward, ...backward]) expect(sizeOf(page)).toBeLessThan(1_000_000 + 2 * LONG.length);
});

test("[ST14] a snapshot brings as many of the newest events as fit in a page", async () => {
  const { api, path, count } = await longDialog();
  const { body } = await api("GET", `${path}/snapshot`);
  expect(sizeOf(body)).toBeLessThan(1_000_000 + 2 * LONG.length);
  expect(body.events.at(-1).seq).toBe(count);
  const { body: older } = await api("GET", `${path}/events?before=${body.next}&limit=1`);
  expect(older.events[0].seq).toBe(body.events[0].seq - 1);
});

test("[ST14] a socket that resumes gets every long event, in order", async () => {
  const { server, id, count } = await longDialog();
  const client = await connect(server.url);
  await client.send({ type: "subscribe", dialog: { rootId: id }, after: 0 });
  await client.next((packet) => packet.type === "recorded" && packet.seq === count);
  expect(client.of("recorded").map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, nth) => nth + 1));
});

test("[ST14] a cursor far beyond the end gives the newest events at once", async () => {
  const { api, project } = await served({ lead: () => say("Yes.") });
  const { id } = await project.dialogs.create({ content: "Go", msgId: "m0" });
  await project.dialogs.quiet(id);
  const path = `${P}/dialogs/${id}/events`;
  const { body } = await api("GET", `${path}?before=999999999999999&limit=2`);
  const { events: all } = (await api("GET", path)).body;
  expect(body.events).toEqual(all.slice(-2));
});
