import { readFileSync } from "node:fs";
import { applyAll, emptyTree, readersSnapshot, treeView } from "@colloquy/core";
import { type Recorded, ROUTES, type RootId } from "@colloquy/schema";
import { call, say } from "@colloquy/testing/internals";
import { createServer, connect as dial, type Socket as Pipe } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { startServer } from "../../server/src/server.ts";
import { served, TOKEN } from "../../server/test/support.ts";
import {
  Api,
  type Client,
  type Clock,
  type Commit,
  connect,
  type ConnectOptions,
  type Observable,
  type SocketMaker,
} from "../src/index.ts";

const asking = { lead: [call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };
const clients: Client[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

function client(url: string, options: Partial<ConnectOptions> = {}): Client {
  const made = connect({ url, token: TOKEN, ...options });
  clients.push(made);
  return made;
}

/** Resolves as soon as the value satisfies the condition. */
function when<Value>(observable: Observable<Value>, isWanted: (value: Value) => boolean): Promise<Value> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isWanted(observable.getSnapshot())) return;
      stop();
      resolve(observable.getSnapshot());
    };
    const stop = observable.subscribe(look);
    look();
  });
}

/** The global WebSocket, losing its connection before the nth packet it receives in total. */
function cutting(nth: number): SocketMaker {
  let heard = 0;
  return class extends (WebSocket as unknown as new (url: string, protocols: string[]) => WebSocket) {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      let isCut = false;
      const hear = (event: MessageEvent) => {
        heard += 1;
        if (heard === nth) {
          isCut = true;
          this.close();
          (this as unknown as { onclose: (event: object) => void }).onclose({ code: 1006, reason: "" });
        }
        if (isCut) event.stopImmediatePropagation();
      };
      this.addEventListener("message", hear as never);
    }
  } as unknown as SocketMaker;
}

/** Reconnects without a pause. */
const impatient: Clock = {
  after(ms, act) {
    const timer = setTimeout(act, ms < 10_000 ? 0 : ms);
    return () => clearTimeout(timer);
  },
  chance: () => 0,
  nowMs: () => Date.now(),
};

const story = { lead: [say("Hello."), call("askHuman", { tellaskContent: "Which one?", options: ["A", "B"] }), say("So be it.")] };

test.each(Array.from({ length: 24 }, (_, nth) => nth + 1))(
  "[CL6] over a real socket cut before packet %i, every commit arrives once and every command takes effect once",
  async (nth) => {
    const { server, project } = await served(story);
    const one = client(server.url, { WebSocket: cutting(nth), clock: impatient });
    const { rootId } = await one.dialogs.create({ content: "Hello" });
    const store = one.tree(rootId);
    onTestFinished(store.subscribe(() => undefined));
    const heard: Commit[] = [];
    onTestFinished(one.watchTree({ rootId, after: 0 }, { commit: (commit) => heard.push(commit) }));
    await project.dialogs.quiet(rootId);
    await one.dialogs.send(rootId, { content: "Decide" });
    const { tree } = await when(store, (snapshot) => snapshot.tree.openQuestions.size === 1);
    const [question] = [...tree.questions.values()];
    await one.questions.answer(question?.id ?? "", { choice: 0 });
    await when(store, (snapshot) => snapshot.events.some(({ event }) => JSON.stringify(event).includes("So be it.")));
    const lines = await project.dialogs.events(rootId);
    const all = lines.flatMap((line) => line.events).map((_, at) => at + 1);
    await when(store, (snapshot) => snapshot.tree.seq === all.length);
    expect(heard.flatMap((commit) => commit.events.map(({ seq }) => seq))).toEqual(all);
    expect(heard.map(({ events: some }) => some.length)).toEqual(lines.map(({ events: some }) => some.length));
    const said = lines.flatMap((line) => line.events).filter(({ type }) => type === "message.added");
    expect(said).toHaveLength(2);
  },
);

test("[CL10] a tree's store folds whole commits as the server does, and its snapshot is stable until something changes", async () => {
  const { server, project } = await served(asking);
  const one = client(server.url);
  const { rootId } = await one.dialogs.create({ content: "Decide" });
  const store = one.tree(rootId);
  const seen: number[] = [];
  const leave = store.subscribe(() => seen.push(store.getSnapshot().tree.seq));
  expect(store.getSnapshot()).toBe(store.getSnapshot());
  await when(store, ({ tree }) => tree.openQuestions.size === 1);
  const lines = await project.dialogs.events(rootId);
  const ends = new Set([0, ...lines.map((line) => line.seq + line.events.length - 1)]);
  expect(seen.every((seq) => ends.has(seq))).toBe(true);
  leave();

  // A new subscriber continues where the last one left off.
  const [question] = await project.questions.list();
  await one.questions.answer(question?.id ?? "", { choice: 1 });
  await project.dialogs.quiet(rootId);
  expect(one.tree(rootId)).toBe(store);
  onTestFinished(store.subscribe(() => undefined));
  const { seq } = await project.dialogs.view(rootId);
  const { tree, events, since } = await when(store, (snapshot) => snapshot.tree.seq === seq);
  expect(treeView(tree)).toEqual(await project.dialogs.tree(rootId));
  const folded = (await project.dialogs.events(rootId)).reduce(
    (before, line) => applyAll(before, line.events, Date.parse(line.at)),
    emptyTree(rootId),
  );
  expect(readersSnapshot(tree)).toEqual(readersSnapshot(folded));
  expect(events.map((recorded: Recorded) => recorded.seq)).toEqual(Array.from({ length: seq - since }, (_, nth) => since + nth + 1));
});

test("[CL25] opening a long dialog takes one request, and only later events are folded", async () => {
  const { server, project } = await served({ lead: [say("One."), say("Two.")] });
  const { id } = await project.dialogs.create({ content: "Hello" });
  await project.dialogs.quiet(id);
  for (let nth = 0; nth < 100; nth++) await project.dialogs.rename(id, `Name ${nth}`);
  const asked: string[] = [];
  const one = client(server.url, { fetch: (url, init) => (asked.push(new URL(url).pathname), fetch(url, init)) });
  await when(one.state, ({ status }) => status === "open");
  asked.length = 0;
  const store = one.tree(id);
  onTestFinished(store.subscribe(() => undefined));
  const { tree, events, since } = await when(store, ({ status }) => status === "ready");
  expect([events, since]).toEqual([[], tree.seq]);
  expect(asked.filter((path) => path.includes("/dialogs/"))).toEqual([expect.stringMatching(/\/snapshot$/)]);
  await project.dialogs.send(id, { content: "More" });
  await project.dialogs.quiet(id);
  await when(store, () => store.view(id)?.messages === 4);
  expect(asked).toHaveLength(2);
  expect(store.getSnapshot().events[0]?.seq).toBe(since + 1);
});

test("[CL11] after a server restart, queued commands take effect once and subscriptions continue", async () => {
  const { server, project } = await served({ lead: [say("One."), say("Two.")] });
  const one = client(server.url);
  const { rootId } = await one.dialogs.create({ content: "Hello" });
  const store = one.tree(rootId);
  onTestFinished(store.subscribe(() => undefined));
  await project.dialogs.quiet(rootId);
  const messages = () => store.view(rootId)?.messages;
  await when(store, ({ status }) => status === "ready" && messages() === 2);
  await server.close();
  await when(one.state, ({ status }) => status === "reconnecting");
  const sent = one.dialogs.send(rootId, { content: "Are you there?" });
  await when(one.unsent, (unsent) => unsent.some(({ route }) => route === "send"));

  const again = await startServer({ projects: [project], token: TOKEN, port: server.port, version: "test", report: () => undefined });
  onTestFinished(() => again.close());
  one.retryNow();
  await sent;
  await when(store, ({ events }) => events.some(({ event }) => JSON.stringify(event).includes("Two.")));
  expect(messages()).toBe(4);
});

test("[CL12] a slow reader that was disconnected resumes without a gap", async () => {
  const { server, project } = await served({ lead: [say("Hello.")] });
  const pipes: { readonly from: Pipe; readonly to: Pipe }[] = [];
  // A proxy between client and server that can be paused.
  const line = createServer((from) => {
    const to = dial(server.port, "127.0.0.1");
    pipes.push({ from, to });
    from.on("data", (data) => to.write(data)).on("close", () => to.destroy());
    to.on("data", (data) => from.write(data)).on("close", () => from.destroy());
    for (const end of [from, to]) end.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void line.close());
  const address = line.address();
  const one = client(`http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`);
  const rootId = (await project.dialogs.create({ content: "Hello" })).id;
  await project.dialogs.quiet(rootId);
  const heard: number[] = [];
  const watched = new Promise<void>((resolve) => {
    const listener = {
      commit: ({ events }: Commit) => void heard.push(...events.map(({ seq }) => seq)),
      caughtUp: () => resolve(),
    };
    onTestFinished(one.watchTree({ rootId, after: 0 }, listener));
  });
  await watched;
  pipes.at(-1)?.to.pause();
  let seq = 0;
  const long = "x".repeat(500_000);
  for (let nth = 0; nth < 40; nth++) ({ seq } = await project.dialogs.rename(rootId, `${nth} ${long}`));
  const before = pipes.length;
  pipes.at(-1)?.to.resume();
  await when(one.state, ({ status }) => status === "reconnecting");
  one.retryNow();
  await when(one.state, ({ status }) => status === "open");
  await new Promise<void>((resolve) => {
    const stop = one.watchTree({ rootId, after: seq }, { commit: () => undefined, caughtUp: () => (stop(), resolve()) });
  });
  expect(pipes.length).toBeGreaterThan(before);
  expect(heard).toEqual(Array.from({ length: seq }, (_, nth) => nth + 1));
});

test("[CL2] a real server refuses a wrong token, and the client reports it", async () => {
  const { server } = await served(asking);
  const one = client(server.url, { token: "wrong" });
  const state = await when(one.state, ({ status }) => status === "refused");
  expect(state).toMatchObject({ error: { code: "unauthorized" } });
});

test("[CL9] a real project reports its events, each with a position to resume from", async () => {
  const { server, project } = await served(asking);
  const one = client(server.url);
  const heard: string[] = [];
  const begun = Promise.withResolvers<number>();
  const added = Promise.withResolvers<void>();
  onTestFinished(
    one.watchProject(
      {},
      {
        begins: begun.resolve,
        event(event) {
          heard.push(event.type);
          if (event.type === "notification.added") added.resolve();
        },
      },
    ),
  );
  expect(await begun.promise).toBe(0);
  const { rootId } = await one.dialogs.create({ content: "Decide" });
  await added.promise;
  await project.dialogs.quiet(rootId);
  expect(heard).toContain("questions_count_update");
  expect((await one.api.questions.list({ status: "open" })).questions).toHaveLength(1);
});

test("[CL13] every route has a method whose input and output match the server's", async () => {
  const { server, project } = await served({ lead: [...asking.lead, say("Again.")] });
  const api = new Api({ url: server.url, token: TOKEN });
  const source = readFileSync(new URL("../src/api.ts", import.meta.url), "utf8");
  const missing = ROUTES.filter(({ name, path }) => !path.endsWith("/stream") && name !== "image" && !source.includes(`("${name}"`));
  expect(missing).toEqual([]);

  expect(await api.health()).toMatchObject({ status: "ok" });
  expect(await api.me()).toEqual({ user: "owner", role: "owner" });
  expect(await api.projects()).toMatchObject([{ id: "shop" }]);
  const { rootId } = await api.dialogs.create({ content: "Decide" });
  await project.dialogs.quiet(rootId);
  expect((await api.dialogs.list({ status: "running", limit: 1 })).dialogs).toMatchObject([{ rootId, state: "asking" }]);
  expect(await api.dialogs.view(rootId)).toMatchObject({ rootId, state: "asking" });
  expect((await api.dialogs.events(rootId, { after: 1, limit: 1 })).events).toHaveLength(1);
  const [question] = (await api.questions.list({ status: "open" })).questions;
  expect(await api.questions.get(question?.id ?? "")).toEqual(question);
  expect(await api.dialogs.image(rootId, "a.png")).toBe(`${server.url}/api/projects/shop/dialogs/${rootId}/images/a.png`);
  await api.dialogs.addReminder(rootId, { content: "Ids are UUIDs" });
  await api.dialogs.changeReminder(rootId, 1, { content: "Ids are ULIDs" });
  expect(await api.dialogs.reminders(rootId)).toEqual({ reminders: [{ id: 1, content: "Ids are ULIDs" }] });
  await api.dialogs.deleteReminder(rootId, 1);
  await api.dialogs.rename(rootId, { title: "A decision" });
  expect(await api.dialogs.tree(rootId)).toMatchObject({ title: "A decision" });
  await api.questions.answer(question?.id ?? "", { choice: "A" });
  await project.dialogs.quiet(rootId);
  const task = await api.tasks.create({ title: "Build" });
  expect(await api.tasks.get(task.id)).toMatchObject({ status: "open" });
  expect((await api.tasks.ready()).tasks).toHaveLength(1);
  expect(await api.tasks.update(task.id, { close: "done" })).toMatchObject({ status: "closed" });
  expect((await api.tasks.list({ status: "closed" })).tasks).toHaveLength(1);
  expect(await api.grants.list()).toEqual({ grants: [] });
  expect((await api.usage({ by: "agent" })).rows).toMatchObject([{ key: "lead" }]);
  expect((await api.notifications.list({ status: "resolved" })).notifications).toHaveLength(1);
  expect(await api.memory()).toEqual({ documents: [] });
  expect((await api.settings()).agents).toMatchObject([{ id: "lead" }]);
  await api.dialogs.done(rootId);
});

test("[CL14] a refusal over HTTP is typed and includes the current question; a missing answer is not a refusal", async () => {
  const { server, project } = await served(asking);
  const api = new Api({ url: server.url, token: TOKEN });
  const { rootId } = await api.dialogs.create({ content: "Decide" });
  await project.dialogs.quiet(rootId);
  const [question] = await project.questions.list();
  const id = question?.id ?? "";
  const msgId = "same";
  const { seq } = await api.questions.answer(id, { choice: "A", msgId });
  expect(await api.questions.answer(id, { choice: "A", msgId })).toEqual({ seq });
  await expect(api.questions.answer(id, { choice: "B" })).rejects.toMatchObject({
    name: "Refused",
    code: "question_not_open",
    question: { status: "answered" },
  });
  await expect(api.dialogs.view("nothing" as RootId)).rejects.toMatchObject({ code: "not_found" });
  await expect(new Api({ url: server.url }).me()).rejects.toMatchObject({ code: "unauthorized" });
  await expect(new Api({ url: server.url, token: TOKEN, projectId: "other" }).dialogs.list()).rejects.toMatchObject({ code: "not_found" });
  await server.close();
  await expect(api.me()).rejects.toMatchObject({ name: "Disconnected" });
});

test("[CL22] a plain string works as a message, an answer and a question back", async () => {
  const replies = { lead: [call("askHuman", { tellaskContent: "Which one?" }), say("The left one?"), say("So be it."), say("Yes.")] };
  const { server, project } = await served(replies);
  const one = client(server.url);
  const { rootId } = await one.dialogs.create({ content: "go" });
  await project.dialogs.quiet(rootId);
  const [question] = (await one.api.questions.list({ status: "open" })).questions;
  await one.questions.askBack(question?.id ?? "", "Which are there?");
  await project.dialogs.quiet(rootId);
  await one.questions.answer(question?.id ?? "", "The right one.");
  await project.dialogs.quiet(rootId);
  await one.dialogs.send(rootId, "And hurry.");
  await project.dialogs.quiet(rootId);
  expect(await project.questions.get(question?.id ?? "")).toMatchObject({
    thread: [{ content: "Which are there?" }, { content: "The left one?" }],
    answer: { content: "The right one." },
  });
  const events = (await project.dialogs.events(rootId)).flatMap((line) => line.events);
  expect(events.flatMap((event) => (event.type === "message.added" ? [event.content] : []))).toEqual(["go", "And hurry."]);
});
