import { type ServerPacket, WireErrorCode } from "@colloquy/schema";
import { describe, expect, onTestFinished, test } from "vitest";
import { Client, type Commit, connect, type ConnectOptions, Disconnected, keptIn, type ProjectEvent, Refused } from "../src/index.ts";
import { FakeHttp, FakeServer, FakeStorage, HandClock, live, recordedAt, ROOT, settle } from "./fake-server.ts";

function world(options: Partial<ConnectOptions> = {}) {
  const server = new FakeServer();
  const clock = new HandClock();
  const unreachable = () => Promise.reject(new Error("nobody is there"));
  const client = connect({ url: "http://here:5740", WebSocket: server.Socket, clock, fetch: unreachable, ...options });
  onTestFinished(() => client.close());
  /** Until nothing happens any more, however many pauses that takes. */
  const calm = async () => {
    for (let nth = 0; nth < 6; nth++) {
      await settle();
      if (client.state.getSnapshot().status === "reconnecting") clock.pass(15_000);
    }
  };
  return { server, clock, client, calm, status: () => client.state.getSnapshot().status };
}

/** Seven commits of one to three events. */
const commits = [1, 3, 2, 1, 3, 1, 2].reduce<ReturnType<typeof recordedAt>[][]>((all, size) => {
  const before = all.flat().length;
  return [...all, Array.from({ length: size }, (_, nth) => recordedAt(before + nth + 1, nth === size - 1))];
}, []);

/** A server whose reducer has another version: its snapshot has only a position. */
const foldedByOthers: ConnectOptions["fetch"] = async () => {
  const dialog = { rootId: ROOT, selfId: ROOT };
  const context = { windows: {}, soft: 1, hard: 1 };
  const snapshot = { dialog, reducer: 0, seq: 0, state: {}, sayings: [], isDriven: true, context, events: [] };
  return { status: 200, headers: { get: () => null }, text: async () => JSON.stringify({ projects: [], ...snapshot }) };
};

const seqsOf = (heard: readonly Commit[]) => heard.map(({ events }) => events.map(({ seq }) => seq));
const whole = commits.map((events) => events.map(({ seq }) => seq));

describe("the connection", () => {
  test("[CL1] is connecting, open, reconnecting with growing, bounded pauses, and closed", async () => {
    const { server, clock, client, status } = world();
    expect(status()).toBe("connecting");
    await settle();
    expect(client.state.getSnapshot()).toMatchObject({ status: "open", user: "owner" });

    server.isThere = false;
    server.cut();
    const pauses = [];
    for (let nth = 0; nth < 8; nth++) {
      const state = client.state.getSnapshot();
      if (state.status !== "reconnecting") throw new Error(state.status);
      pauses.push([state.attempt, state.inMs]);
      clock.pass(state.inMs);
      await settle();
    }
    expect(pauses).toEqual([
      [1, 300],
      [2, 600],
      [3, 1200],
      [4, 2400],
      [5, 4800],
      [6, 9600],
      [7, 15000],
      [8, 15000],
    ]);
    server.isThere = true;
    client.retryNow();
    await settle();
    expect(status()).toBe("open");
    client.close();
    expect(status()).toBe("closed");
    await expect(client.dialogs.send(ROOT, { content: "late" })).rejects.toBeInstanceOf(Disconnected);
  });

  test("[SV36] waits longer if the server closed it for sending too fast", async () => {
    const { server, client } = world();
    await settle();
    server.cut(4029);
    expect(client.state.getSnapshot()).toMatchObject({ status: "reconnecting", inMs: 1_300 });
  });

  test("[CL2] with an unknown token is refused, and is not retried", async () => {
    const told = { error: { code: "unauthorized", message: "This token is not known here." } };
    const answer = { status: 401, headers: { get: () => null }, text: () => Promise.resolve(JSON.stringify(told)) };
    const { server, clock, client } = world({ token: "wrong", fetch: () => Promise.resolve(answer) });
    server.isThere = false;
    const sent = client.dialogs.send(ROOT, { content: "Hello" });
    await expect(sent).rejects.toMatchObject({ name: "Refused", code: "unauthorized" });
    expect(client.state.getSnapshot()).toMatchObject({ status: "refused", error: { code: "unauthorized" } });
    server.isThere = true;
    clock.pass(60_000);
    await settle();
    expect(client.state.getSnapshot().status).toBe("refused");
  });

  test("[CL2] offers the token as a subprotocol", async () => {
    const { server } = world({ token: "secret" });
    await settle();
    expect(server.opened[0]).toMatchObject({ url: "ws://here:5740/ws", protocols: ["colloquy", "colloquy.secret"] });
  });

  test("[CL3] that is dead but not closed is detected and replaced", async () => {
    const { server, clock, status } = world();
    await settle();
    clock.pass(25_000);
    await settle();
    expect(status()).toBe("open");
    server.isSilent = true;
    clock.pass(36_000);
    expect(status()).toBe("reconnecting");
    server.isSilent = false;
    clock.pass(300);
    await settle();
    expect(status()).toBe("open");
  });
});

describe("commands", () => {
  test("[CL4] without an answer are sent again in order under the same msgId, and are listed meanwhile", async () => {
    const http = new FakeHttp();
    const { server, clock, client } = world({ fetch: http.fetch, projectId: "shop" });
    await settle();
    http.isThere = server.isThere = false;
    server.cut();
    const sent = [client.dialogs.send(ROOT, { content: "one" }), client.dialogs.send(ROOT, { content: "two", msgId: "mine" })];
    await settle();
    expect(client.state.getSnapshot()).toMatchObject({ status: "reconnecting" });
    expect(client.unsent.getSnapshot()).toMatchObject([{ body: { content: "one" } }, { msgId: "mine", body: { content: "two" } }]);
    http.isThere = server.isThere = true;
    clock.pass(300);
    expect((await Promise.all(sent)).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(client.unsent.getSnapshot()).toEqual([]);
  });

  test("[CL4] whose acknowledgement was lost have one effect", async () => {
    const http = new FakeHttp();
    const { clock, client } = world({ fetch: http.fetch, projectId: "shop" });
    http.lostAnswers = 1;
    const sent = client.questions.answer("q1", { choice: 0 });
    await settle();
    clock.pass(1_000);
    expect(await sent).toMatchObject({ seq: 1 });
    expect(http.heard).toEqual(["/questions/q1/answer", "/questions/q1/answer"]);
    expect(http.effects.size).toBe(1);
  });

  test("[CL5] that are refused report a code of the closed set, and are not sent again", async () => {
    const http = new FakeHttp();
    const { clock, client } = world({ fetch: http.fetch, projectId: "shop" });
    const final = WireErrorCode.options.filter((code) => code !== "rate_limited" && code !== "unavailable");
    for (const code of final) {
      http.refusal = { code, message: "No." };
      const refused = await client.questions.approve("q1", { shown: "v1" }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Refused);
      expect(refused).toMatchObject({ code, message: "No." });
    }
    clock.pass(60_000);
    await settle();
    expect(http.heard.filter((path) => path.startsWith("/questions/"))).toHaveLength(final.length);
  });

  test("[CL5] too large for a server are refused before they are sent", async () => {
    const http = new FakeHttp();
    const { client } = world({ fetch: http.fetch, projectId: "shop" });
    await expect(client.dialogs.send(ROOT, { content: "x".repeat(5_000_000) })).rejects.toMatchObject({ code: "too_large" });
    expect(http.heard).toEqual([]);
  });

  test("[CL4] that came too fast are sent again later", async () => {
    const http = new FakeHttp();
    const { clock, client } = world({ fetch: http.fetch, projectId: "shop" });
    http.refusal = { code: "rate_limited", message: "Too many requests." };
    const sent = client.dialogs.send(ROOT, { content: "one" });
    await settle();
    http.refusal = undefined;
    clock.pass(1_000);
    expect(await sent).toMatchObject({ seq: 1 });
    expect(http.effects.size).toBe(1);
  });

  test("[CL29] fail with Disconnected after the configured number of attempts", async () => {
    const http = new FakeHttp();
    http.isThere = false;
    const patience = { firstPauseMs: 250, maxPauseMs: 400, attempts: 3 };
    const { clock, client } = world({ fetch: http.fetch, projectId: "shop", patience });
    const failed = client.dialogs.send(ROOT, "one").catch((error: unknown) => error);
    for (const ms of [250, 400]) {
      await settle();
      clock.pass(ms);
    }
    expect(await failed).toBeInstanceOf(Disconnected);
    expect(client.unsent.getSnapshot()).toEqual([]);
  });

  test("[CL28] without an answer at close fail with Disconnected, and stay stored for the next client", async () => {
    const http = new FakeHttp();
    http.isThere = false;
    const kept = keptIn(new FakeStorage());
    const { client } = world({ fetch: http.fetch, projectId: "shop", kept });
    const sent = client.dialogs.send(ROOT, { content: "one", msgId: "mine" });
    await settle();
    client.close();
    await expect(sent).rejects.toBeInstanceOf(Disconnected);
    http.isThere = true;
    world({ fetch: http.fetch, projectId: "shop", kept });
    await settle();
    expect([...http.effects.keys()]).toEqual(["mine"]);
    expect(kept.all()).toEqual([]);
  });
});

test("[CL28] a client connects when something is watched, pauses, and connects again", async () => {
  const server = new FakeServer();
  const client = new Client({ url: "http://here:5740", WebSocket: server.Socket, clock: new HandClock() });
  onTestFinished(() => client.close());
  await settle();
  expect(server.opened).toHaveLength(0);
  const heard: Commit[] = [];
  client.watchTree({ rootId: ROOT, after: 0 }, { commit: (commit) => heard.push(commit) });
  await settle();
  server.commit(commits[0] ?? []);
  client.pause();
  expect(server.opened).toHaveLength(0);
  expect(client.state.getSnapshot().status).toBe("closed");
  server.commit(commits[1] ?? []);
  client.open();
  await settle();
  expect(client.state.getSnapshot()).toMatchObject({ status: "open", user: "owner" });
  expect(seqsOf(heard)).toEqual(whole.slice(0, 2));
});

test("[CL30] one socket serves several projects, each event to those who watch its project", async () => {
  const { server, client, calm } = world();
  const heard: string[] = [];
  const stops = ["shop", "bank"].map((id) => client.stores.project(id).dialogs.subscribe(() => undefined));
  onTestFinished(() => stops.forEach((stop) => stop()));
  client.watchProject({}, { event: ({ projectId }) => heard.push(projectId) });
  await calm();
  expect(server.opened).toHaveLength(1);
  expect(server.heard.flatMap((packet) => (packet.type === "subscribe" ? [packet.project] : []))).toEqual(["shop", "bank", undefined]);
  for (const projectId of ["shop", "bank"])
    server.tellProject([{ type: "project.updated", projectId, pos: 1, questions: 0, running: 0 } as unknown as ServerPacket]);
  expect(heard).toEqual(["shop", "bank"].slice(0, heard.length));
});

describe("a tree", () => {
  const packets = whole.flat().length + 6;
  test.each(Array.from({ length: packets }, (_, nth) => nth + 1))(
    "[CL6] is heard in whole commits, once and in order, when the connection is cut before packet %i",
    async (cutAt) => {
      const { server, client, calm } = world();
      server.cutAt = cutAt;
      for (const events of commits.slice(0, 3)) server.commit(events);
      const heard: Commit[] = [];
      client.watchTree({ rootId: ROOT, after: 0 }, { commit: (commit) => heard.push(commit) });
      await calm();
      for (const events of commits.slice(3)) {
        server.commit(events);
        await calm();
      }
      expect(seqsOf(heard)).toEqual(whole);
    },
  );

  test("[CL6] with a gap is requested again", async () => {
    const { server, client, calm } = world();
    const heard: Commit[] = [];
    client.watchTree({ rootId: ROOT, after: 0 }, { commit: (commit) => heard.push(commit) });
    await calm();
    server.log.push(...(commits[0] ?? []));
    server.commit(commits[1] ?? []);
    await calm();
    expect(seqsOf(heard)).toEqual(whole.slice(0, 2));
  });

  test("[CL7] has several watchers, each with its own position, over one subscription", async () => {
    const { server, client, calm } = world();
    for (const events of commits.slice(0, 3)) server.commit(events);
    const heard: Record<string, Commit[]> = { all: [], now: [], middle: [] };
    const caughtUp: string[] = [];
    const listen = (name: string) => ({
      commit: (commit: Commit) => void heard[name]?.push(commit),
      caughtUp: (seq: number) => void caughtUp.push(`${name} ${seq}`),
    });
    client.watchTree({ rootId: ROOT }, listen("now"));
    await calm();
    client.watchTree({ rootId: ROOT, after: 0 }, listen("all"));
    const stop = client.watchTree({ rootId: ROOT, after: 2 }, listen("middle"));
    await calm();
    server.commit(commits[3] ?? []);
    stop();
    server.commit(commits[4] ?? []);
    expect(seqsOf(heard.all ?? [])).toEqual(whole.slice(0, 5));
    expect(seqsOf(heard.now ?? [])).toEqual(whole.slice(3, 5));
    expect(seqsOf(heard.middle ?? [])).toEqual([[3, 4], [5, 6], [7]]);
    expect(caughtUp).toContain("all 6");
  });

  test("[CL7] reaches a watcher that joins in the middle of a commit from its beginning, and the others as before", async () => {
    const { server, client, calm } = world();
    const heard: Commit[] = [];
    const late: Commit[] = [];
    const listener = {
      commit(commit: Commit) {
        heard.push(commit);
        if (heard.length === 3) client.watchTree({ rootId: ROOT, after: 0 }, { commit: (one) => late.push(one) });
      },
    };
    client.watchTree({ rootId: ROOT, after: 0 }, listener);
    await calm();
    for (const events of commits) server.commit(events);
    await calm();
    expect(seqsOf(heard)).toEqual(whole);
    expect(seqsOf(late)).toEqual(whole);
  });

  test("[CL6] is delivered once and in order, even if parts arrive twice or before the subscription is confirmed", async () => {
    const { server, client, calm } = world();
    const heard: Commit[] = [];
    const late: Commit[] = [];
    for (const events of commits.slice(0, 2)) server.commit(events);
    client.watchTree({ rootId: ROOT, after: 0 }, { commit: (commit) => heard.push(commit) });
    await calm();
    const [socket] = server.opened;
    if (!socket) throw new Error("no connection");
    for (const one of server.log) socket.tell({ type: "recorded", ...one });
    const send = socket.send.bind(socket);
    const held: string[] = [];
    socket.send = (text) => void held.push(text);
    client.watchTree({ rootId: ROOT, after: 0 }, { commit: (commit) => late.push(commit) });
    server.commit(commits[2] ?? []);
    held.forEach(send);
    await calm();
    expect(seqsOf(heard)).toEqual(whole.slice(0, 3));
    expect(seqsOf(late)).toEqual(whole.slice(0, 3));
  });

  test("[CL7] without watchers is not requested again", async () => {
    const { server, client, calm } = world();
    const stop = client.watchTree({ rootId: ROOT, after: 0 }, { commit: () => undefined });
    await calm();
    stop();
    await calm();
    expect(server.heard.map(({ type }) => type)).toEqual(["subscribe", "unsubscribe"]);
    server.cut();
    await calm();
    expect(server.heard).toHaveLength(2);
  });

  test("[CL5] that does not exist is reported to its watchers and followers", async () => {
    const { server, client, calm } = world({ fetch: foldedByOthers, projectId: "shop" });
    server.refusals.subscribe = { code: "not_found", message: "There is no dialog." };
    const { signal } = new AbortController();
    await expect(client.follow(ROOT, 0, signal).next()).rejects.toMatchObject({ code: "not_found" });
    const store = client.tree(ROOT);
    store.subscribe(() => undefined);
    await calm();
    expect(store.getSnapshot()).toMatchObject({ status: "refused", error: { code: "not_found" } });
  });

  test("[CL6] is followed until the signal", async () => {
    const { server, client, calm } = world();
    for (const events of commits.slice(0, 2)) server.commit(events);
    const leaving = new AbortController();
    const heard: Commit[] = [];
    const following = (async () => {
      for await (const commit of client.follow(ROOT, 0, leaving.signal)) heard.push(commit);
    })();
    await calm();
    server.cut();
    await calm();
    server.commit(commits[2] ?? []);
    await calm();
    leaving.abort();
    await following;
    expect(seqsOf(heard)).toEqual(whole.slice(0, 3));
  });
});

describe("what is said live", () => {
  const said = [
    live({ type: "generating_start_evt" }),
    live({ type: "saying_start_evt" }),
    live({ type: "saying_chunk_evt", offset: 0, text: "Hello" }),
  ];
  const more = live({ type: "saying_chunk_evt", offset: 5, text: " you" });
  const textIn = (events: readonly { readonly text?: string }[]) => events.map(({ text = "" }) => text).join("");

  test("[CL8] comes once, even if a second watcher causes it to be sent again", async () => {
    const { server, client, calm } = world();
    const heard: { text?: string }[] = [];
    const late: { text?: string }[] = [];
    client.watchTree({ rootId: ROOT }, { commit: () => undefined, live: (event) => heard.push(event as never) });
    await calm();
    for (const event of said) server.say(event);
    server.soFar = said;
    client.watchTree({ rootId: ROOT }, { commit: () => undefined, live: (event) => late.push(event as never) });
    await calm();
    for (const socket of server.opened) socket.tell(more);
    expect(textIn(heard)).toBe("Hello you");
    expect(heard).toHaveLength(4);
    expect(textIn(late)).toBe("Hello you");
  });

  test("[CL8] is in the store, and starts from its beginning after a reconnect", async () => {
    const { server, client, calm, clock } = world({ fetch: foldedByOthers, projectId: "shop" });
    const store = client.tree(ROOT);
    onTestFinished(store.subscribe(() => undefined));
    await calm();
    for (const event of said) server.say(event);
    server.say(live({ type: "tool_start_evt", call: "c1", tool: "read_file", input: {} }));
    clock.pass(30);
    expect(store.getSnapshot().live).toMatchObject([
      { agent: "lead", isGenerating: true, segments: [{ kind: "saying", text: "Hello", isFinished: false }], tools: [{ call: "c1" }] },
    ]);
    server.soFar = [...said, more];
    server.cut();
    expect(store.getSnapshot().live).toEqual([]);
    await calm();
    clock.pass(30);
    expect(store.getSnapshot().live[0]?.segments[0]?.text).toBe("Hello you");
  });
});

describe("a project", () => {
  const updated = (pos: number, rootId = ROOT): ServerPacket =>
    ({ type: "dialog.updated", projectId: "p", pos, dialog: { rootId } }) as unknown as ServerPacket;
  const counted = (pos: number): ServerPacket =>
    ({
      type: "questions_count_update",
      projectId: "p",
      pos,
      dialog: { rootId: ROOT, selfId: ROOT },
      course: 1,
      previousCount: 0,
      questionCount: 1,
    }) as unknown as ServerPacket;
  const told = [[counted(3), updated(3)], [updated(4)], [counted(6), updated(6), updated(6, "other" as never)]];
  const nameOf = (event: ProjectEvent) => `${event.pos} ${event.type}`;

  test.each(Array.from({ length: 12 }, (_, nth) => nth + 1))(
    "[CL9] tells each thing once, in order, when the connection is cut before packet %i",
    async (cutAt) => {
      const { server, client, calm } = world();
      server.cutAt = cutAt;
      const heard: string[] = [];
      const begun: number[] = [];
      client.watchProject({}, { event: (event) => heard.push(nameOf(event)), begins: (pos) => begun.push(pos) });
      await calm();
      for (const packets of told) {
        server.tellProject(packets);
        await calm();
      }
      expect(heard).toEqual(told.flat().map((packet) => nameOf(packet as ProjectEvent)));
      expect(begun).toEqual([0]);
    },
  );

  test("[CL9] that missed too much restarts from the present", async () => {
    const { server, client, calm } = world();
    const heard: string[] = [];
    const begun: number[] = [];
    client.watchProject({}, { event: (event) => heard.push(nameOf(event)), begins: (pos) => begun.push(pos) });
    await calm();
    server.tellProject([updated(3)]);
    server.floor = 9;
    server.cut();
    await calm();
    server.tellProject([updated(10)]);
    expect(heard).toEqual(["3 dialog.updated", "10 dialog.updated"]);
    expect(begun).toEqual([0, 9]);
  });
});

test("[CL18] a subscription refused for a temporary reason is requested again after a pause", async () => {
  const { server, clock, client } = world();
  await settle();
  server.refusals["subscribe"] = { code: "log_full", message: "No room on the disk." };
  server.log.push(...commits.flat());
  const heard: Commit[] = [];
  const refused: Refused[] = [];
  client.watchTree({ rootId: ROOT, after: 0 }, { commit: (commit) => heard.push(commit), refused: (error) => refused.push(error) });
  await settle();
  expect(heard).toEqual([]);
  delete server.refusals["subscribe"];
  clock.pass(2_000);
  await settle();
  expect(seqsOf(heard)).toEqual(whole);
  expect(refused).toEqual([]);
});
