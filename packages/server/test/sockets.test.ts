import { latch } from "./latch.ts";
import { call, say } from "@colloquy/testing/internals";
import type { ModelChunk } from "@colloquy/models";
import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { type Client, connect, served } from "./support.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };
const create = { type: "create_dialog", content: "Decide", msgId: "m1" } as const;

const original = Reflect.get(Socket.prototype, "write") as (...args: unknown[]) => boolean;

async function created(client: Client): Promise<string> {
  const accepted = await client.send(create);
  if (accepted.type !== "accepted" || !accepted.dialog) throw new Error(JSON.stringify(accepted));
  return accepted.dialog.rootId;
}

test("[ST10] packets that arrive together are handled one per turn of the event loop", async () => {
  const { server } = await served(asking);
  const client = await connect(server.url);
  let turn = 0;
  let isWatching = true;
  const count = () => {
    turn += 1;
    if (isWatching) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  // A refusal is sent while the packet is handled.
  const write = vi.spyOn(Socket.prototype, "write").mockImplementation(function (this: Socket, ...args: unknown[]) {
    if (String(args[0]).includes('"refused"')) turns.push(turn);
    return Reflect.apply(original, this, args);
  });
  // Sent in one turn of the event loop, they share one write and arrive together.
  for (let nth = 0; nth < 20; nth += 1) client.sendRaw("no packet");
  await expect.poll(() => client.of("refused").length).toBe(20);
  isWatching = false;
  write.mockRestore();
  expect(new Set(turns).size).toBe(20);
});

test("[SV20] a subscriber gets every event once, from any position, in whole commits", async () => {
  const w = await served(asking);
  const { server, project } = w;
  const client = await connect(server.url);
  const rootId = await created(client);
  await project.dialogs.quiet(rootId as never);
  await client.send({ type: "drive_dlg_by_user_msg", dialog: { rootId }, content: "Hurry", msgId: "m2" });
  const all = (await w.events(rootId as never)).map((_, nth) => nth + 1);
  for (const after of [0, ...all]) {
    const other = await connect(server.url);
    expect(await other.send({ type: "subscribe", dialog: { rootId }, after })).toMatchObject({ type: "accepted", seq: all.length });
    if (after < all.length) await other.next((one) => one.type === "recorded" && one.seq === all.length);
    await other.send({ type: "presence" }); // all earlier packets have arrived
    expect(other.of("recorded").map(({ seq }) => seq)).toEqual(all.filter((seq) => seq > after));
    expect(other.of("recorded").at(-1)?.last ?? true).toBe(true);
    other.close();
  }
  expect(await client.send({ type: "subscribe", dialog: { rootId }, after: 99 })).toMatchObject({ type: "refused", code: "bad_request" });
});

test("[SV21] a reader who joins during a generation gets its text so far", async () => {
  const words = ["One ", "two ", "three ", "four."];
  const gates = words.map(() => latch());
  async function* stream(): AsyncGenerator<ModelChunk> {
    yield { type: "saying.started" };
    for (const [nth, word] of words.entries()) {
      await gates[nth]?.opened;
      yield { type: "saying.chunk", text: word };
    }
    yield { type: "saying.finished" };
    yield { type: "finished", usage: { input: 1, output: 1 }, sessionId: undefined };
  }
  const { server } = await served({ lead: [{ stream, chunks: [] }] });
  const first = await connect(server.url);
  const rootId = await created(first);
  const watchers: Client[] = [];
  const heard = (client: Client) => {
    let text = "";
    for (const { offset, text: more } of client.of("saying_chunk_evt")) {
      expect(offset).toBe(text.length);
      text += more;
    }
    return text;
  };
  for (const [nth, gate] of gates.entries()) {
    const client = await connect(server.url);
    watchers.push(client);
    await client.send({ type: "subscribe", dialog: { rootId }, after: 0 });
    gate.open();
    for (const one of watchers) {
      await one.next(() => heard(one).length >= words.slice(0, nth + 1).join("").length);
    }
  }
  for (const one of watchers) {
    await one.next(({ type }) => type === "generating_finish_evt");
    expect(heard(one)).toBe(words.join(""));
    expect(one.of("saying_start_evt")).toHaveLength(1);
    expect(one.of("saying_finish_evt")).toHaveLength(1);
  }
});

test("[SV22] [SV23] project-wide events resume from a pos, and counts have a before and after", async () => {
  const { server, project } = await served(asking);
  const client = await connect(server.url);
  expect(await client.send({ type: "subscribe", project: "shop" })).toMatchObject({ type: "accepted", pos: 0 });
  const rootId = await created(client);
  await client.next(({ type }) => type === "notification.added");
  const [question] = await project.questions.list();
  await client.send({
    type: "drive_dialog_by_user_answer",
    questionId: question?.id ?? "",
    choice: 0,
    msgId: "m2",
    continuationType: "answer",
  });
  await client.next(({ type }) => type === "notification.resolved");
  await project.dialogs.quiet(rootId as never);
  await client.next((one) => one.type === "dialog.updated" && one.pos === project.health().pos);
  expect(client.of("questions_count_update").map(({ previousCount, questionCount }) => [previousCount, questionCount])).toEqual([
    [0, 1],
    [1, 0],
  ]);
  // Counts are sent when they change, and once after a replay.
  const eventsOf = ({ packets }: Client) =>
    packets.flatMap((one) => ("pos" in one && "projectId" in one && one.type !== "project.updated" ? [[one.pos, one.type] as const] : []));
  const inOrder = eventsOf(client);
  for (let after = 0; after <= project.health().pos; after++) {
    const other = await connect(server.url);
    await other.send({ type: "subscribe", project: "shop", after });
    if (after < project.health().pos) await other.next((one) => one.type === "dialog.updated" && one.pos === project.health().pos);
    await other.send({ type: "presence" });
    expect(eventsOf(other)).toEqual(inOrder.filter(([pos]) => pos > after));
    other.close();
  }
});

test("[SV24] of two concurrent answers one wins, and both senders learn which", async () => {
  const { server, project } = await served(asking);
  const [one, two] = [await connect(server.url), await connect(server.url)];
  for (const client of [one, two]) await client.send({ type: "subscribe", project: "shop" });
  await created(one);
  for (const client of [one, two]) await client.next(({ type }) => type === "notification.added");
  const [question] = await project.questions.list();
  const answer = { type: "drive_dialog_by_user_answer", questionId: question?.id ?? "", continuationType: "answer" } as const;
  const answers = await Promise.all([one.send({ ...answer, choice: 0, msgId: "one" }), two.send({ ...answer, choice: 1, msgId: "two" })]);
  expect(answers.map(({ type }) => type).toSorted()).toEqual(["accepted", "refused"]);
  const given = answers[0]?.type === "accepted" ? "A" : "B";
  expect(answers.find(({ type }) => type === "refused")).toMatchObject({
    code: "question_not_open",
    question: { status: "answered", answer: { choice: [given] } },
  });
  for (const client of [one, two]) await client.next(({ type }) => type === "notification.resolved");
});

test("[SV25] bad packets are refused one by one and the socket stays open", async () => {
  const { server, project } = await served(asking);
  const client = await connect(server.url);
  const wrong = [
    "{",
    "[]",
    "7",
    '"x"',
    "null",
    '{"type":"subscribe"}',
    '{"type":"nope","requestId":"r"}',
    " ",
    '{"requestId":"a","type":7}',
  ];
  for (const text of [...wrong, JSON.stringify({ ...create, requestId: "x", colour: "red" }), "x".repeat(5_000_000)]) client.sendRaw(text);
  await client.next(() => client.of("refused").length === wrong.length + 2);
  expect(client.of("refused").at(-2)).toMatchObject({ requestId: "x", code: "bad_request", message: expect.stringContaining("colour") });
  expect(client.of("refused").at(-1)).toMatchObject({ code: "too_large" });
  expect(await client.send({ type: "resume_dialog", dialog: { rootId: "nonsense" } })).toMatchObject({
    type: "refused",
    code: "not_found",
  });
  expect(await client.send({ type: "subscribe", project: "none" })).toMatchObject({ type: "refused", code: "not_found" });
  expect(project.dialogs.count()).toBe(0);
  await created(client);
});

test("[SV26] the others are told who is present, and who leaves", async () => {
  const { server } = await served(asking);
  const [one, two] = [await connect(server.url), await connect(server.url)];
  for (const client of [one, two]) await client.send({ type: "subscribe", project: "shop" });
  await one.send({ type: "presence", questionId: "q", writing: true });
  expect(await two.next(({ type }) => type === "presence")).toMatchObject({ user: "owner", questionId: "q", writing: true });
  const three = await connect(server.url);
  await three.send({ type: "subscribe", project: "shop" });
  expect(await three.next(({ type }) => type === "presence")).toMatchObject({ user: "owner", questionId: "q", writing: true });
  one.close();
  expect(await two.next((packet) => packet.type === "presence" && packet.gone === true)).toMatchObject({ projectId: "shop" });
  expect(one.of("presence")).toEqual([]);
});

test("[SV92] a subscription to live output alone gets no recorded events", async () => {
  const rest = latch();
  async function* stream(): AsyncGenerator<ModelChunk> {
    yield { type: "saying.started" };
    yield { type: "saying.chunk", text: "One " };
    await rest.opened;
    yield { type: "saying.chunk", text: "two." };
    yield { type: "saying.finished" };
    yield { type: "finished", usage: { input: 1, output: 1 }, sessionId: undefined };
  }
  const { server, project } = await served({ lead: [{ stream, chunks: [] }] });
  const [reader, other] = [await connect(server.url), await connect(server.url)];
  const rootId = await created(other);
  expect(await reader.send({ type: "subscribe", dialog: { rootId }, only: "live" })).toMatchObject({ type: "accepted" });
  expect(await reader.send({ type: "subscribe", only: "live" })).toMatchObject({ type: "accepted" });
  await reader.next((one) => one.type === "saying_chunk_evt" && one.text === "One ");
  rest.open();
  await project.dialogs.quiet(rootId as never);
  await other.send({ type: "presence", questionId: "q1" });
  await reader.next((one) => one.type === "presence" && one.questionId === "q1");
  expect(reader.of("saying_chunk_evt").map(({ text }) => text)).toEqual(["One ", "two."]);
  expect(reader.packets.filter((one) => one.type === "recorded" || "pos" in one)).toEqual(
    reader.of("accepted").filter(({ pos }) => pos !== undefined),
  );
});
