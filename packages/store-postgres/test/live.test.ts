import { type Client, connect } from "@colloquy/client";
import type { RootId } from "@colloquy/schema";
import { startServer } from "@colloquy/server";
import { call, say, type Told } from "@colloquy/testing/internals";
import { expect, onTestFinished, test } from "vitest";
import { type Node, nodes, placed } from "./nodes.ts";
import { proxyTo } from "./proxy.ts";

const TOKEN = "a-token-for-tests-that-is-long-enough-0123";

/** Begins to speak, and continues when released. */
function speaking(first: string, then: string): { readonly told: Told; readonly goOn: () => void } {
  let goOn = () => {};
  const hold = new Promise<void>((open) => (goOn = open));
  async function* stream() {
    yield { type: "saying.started" } as const;
    yield { type: "saying.chunk", text: first } as const;
    await hold;
    yield { type: "saying.chunk", text: then } as const;
    yield { type: "saying.finished" } as const;
    yield { type: "finished", usage: { input: 1, output: 1 }, sessionId: undefined } as const;
  }
  return { told: { stream, chunks: [] }, goOn: () => goOn() };
}

async function served(node: Node) {
  const server = await startServer({ projects: [node.project], token: TOKEN, port: 0, version: "test", report: () => undefined });
  onTestFinished(() => server.close());
  await node.project.cluster?.announce(server.url);
  return server;
}

function clientOf({ url }: { readonly url: string }, token = TOKEN): Client {
  const client = connect({ url, token });
  onTestFinished(() => client.close());
  return client;
}

/** What a reader sees of a tree: commits, and the live text that is not recorded yet. */
function reading(client: Client, rootId: RootId) {
  const seen = { seqs: [] as number[], text: "", starts: 0 };
  const stop = client.watchTree(
    { rootId, after: 0 },
    {
      commit: ({ events }) => {
        seen.seqs.push(...events.map(({ seq }) => seq));
        if (events.some(({ event }) => event.type === "step.ended")) seen.text = "";
      },
      live: (event) => {
        if (event.type === "generating_start_evt") {
          seen.text = "";
          seen.starts += 1;
        }
        if (event.type === "saying_chunk_evt") seen.text = seen.text.slice(0, event.offset) + event.text;
      },
    },
  );
  onTestFinished(stop);
  return seen;
}

const whole = (count: number): readonly number[] => Array.from({ length: count }, (_, nth) => nth + 1);

test("[PG32] live output reaches readers on every node, also those who join midway", async () => {
  const { told, goOn } = speaking("One ", "two.");
  const [a, b, c] = (await nodes({ lead: [told] }, {}, {})) as [Node, Node, Node];
  const [atA, atB, atC] = await Promise.all([served(a), served(b), served(c)]);
  const dialog = await a.project.dialogs.create({ content: "Count." });
  const early = [atA, atB, atC].map((server) => reading(clientOf(server), dialog.id as RootId));
  for (const seen of early) await expect.poll(() => seen.text).toBe("One ");
  const late = [atB, atC].map((server) => reading(clientOf(server), dialog.id as RootId));
  for (const seen of late) await expect.poll(() => seen.text).toBe("One ");
  goOn();
  expect(await dialog.result()).toBe("One two.");
  const { seq } = await dialog.view();
  for (const seen of [...early, ...late]) {
    await expect.poll(() => seen.seqs).toEqual(whole(seq));
    expect([seen.text, seen.starts]).toEqual(["", 1]);
  }
});

test("[PG32] after a takeover the readers of every node hear the new owner", async () => {
  const [first, second] = [speaking("I begin ", "and end."), speaking("I take over ", "and end.")];
  // The agent works on files, so only b may take the tree.
  const [a, b, c] = (await placed([
    ["here", { clerk: [first.told] }],
    ["here", { clerk: [second.told] }],
    ["there", {}],
  ])) as [Node, Node, Node];
  const [, , atC] = await Promise.all([served(a), served(b), served(c)]);
  const dialog = await a.project.dialogs.create({ content: "Speak.", agent: "clerk" as never });
  const seen = reading(clientOf(atC), dialog.id as RootId);
  await expect.poll(() => seen.text).toBe("I begin ");
  await a.kill();
  await expect.poll(() => seen.text).toBe("I take over ");
  second.goOn();
  expect(await c.project.dialogs.get(dialog.id).result()).toBe("I take over and end.");
});

test("[PG33] every node shows who has a question open and is writing, until they or their node are gone", async () => {
  const asking = { lead: [call("askHuman", { tellaskContent: "Red or blue?" }), say("Good.")] };
  const [a, b] = (await nodes(asking, asking)) as [Node, Node];
  const [atA, atB] = await Promise.all([served(a), served(b)]);
  await a.project.dialogs.create({ content: "Paint it." });
  const [anna, ben] = [clientOf(atA), clientOf(atB)];
  const heard: unknown[] = [];
  onTestFinished(
    ben.watchProject(
      {},
      { event: () => undefined, presence: ({ user, questionId, writing, gone }) => heard.push({ user, questionId, writing, gone }) },
    ),
  );
  onTestFinished(anna.watchProject({}, { event: () => undefined }));
  anna.presence({ questionId: "q1", writing: true });
  await expect.poll(() => heard).toContainEqual({ user: "owner", questionId: "q1", writing: true, gone: undefined });
  // A later watcher is also told, once.
  const late: unknown[] = [];
  onTestFinished(clientOf(atB).watchProject({}, { event: () => undefined, presence: ({ questionId }) => late.push(questionId) }));
  await expect.poll(() => late).toEqual(["q1"]);
  heard.length = 0;
  await atA.close();
  await expect.poll(() => heard).toContainEqual({ user: "owner", questionId: undefined, writing: undefined, gone: true });
});

test("[PG34] a reader whose node dies continues at another one without a gap", async () => {
  const telling = { lead: () => say("Yes.") };
  const [a, b] = (await nodes(telling, telling)) as [Node, Node];
  const [atA, atB] = await Promise.all([served(a), served(b)]);
  const proxy = await proxyTo(atA.url);
  const dialog = await a.project.dialogs.create({ content: "Round 0" });
  const client = clientOf(proxy);
  const seen = reading(client, dialog.id as RootId);
  const rows: number[] = [];
  onTestFinished(client.watchProject({}, { event: (event) => rows.push(event.pos) }));
  await dialog.result();
  await expect.poll(() => seen.seqs.length).toBeGreaterThan(2);
  await a.kill();
  proxy.leadTo(atB.url);
  proxy.cut();
  await b.project.dialogs.get(dialog.id).send("Round 1");
  await b.project.dialogs.get(dialog.id).result();
  proxy.restore();
  await b.project.dialogs.get(dialog.id).send("Round 2");
  await b.project.dialogs.get(dialog.id).result();
  const { seq } = await b.project.dialogs.view(dialog.id);
  await expect.poll(() => seen.seqs).toEqual(whole(seq));
  await expect.poll(() => rows.at(-1)).toBe(b.project.health().pos);
});

test("[PG35] a server lists the nodes with address, place, version and number of trees", async () => {
  const { told, goOn } = speaking("One ", "two.");
  const [a, b] = (await nodes({ lead: [told] }, {})) as [Node, Node];
  const [atA, atB] = await Promise.all([served(a), served(b)]);
  const dialog = await a.project.dialogs.create({ content: "Count." });
  const listed = async () => (await clientOf(atB).api.nodes()).nodes.map(({ url, place, trees, alive }) => ({ url, place, trees, alive }));
  await expect.poll(listed).toEqual(
    expect.arrayContaining([
      { url: atA.url, place: "place-0", trees: 1, alive: true },
      { url: atB.url, place: "place-1", trees: 0, alive: true },
    ]),
  );
  goOn();
  await dialog.result();
  await a.kill();
  await expect.poll(listed).toEqual([{ url: atB.url, place: "place-1", trees: 0, alive: true }]);
});

test("[PG36] a node may read at another one, and nothing else; without the secret it may not", async () => {
  const [a] = (await nodes({ lead: [say("Hi.")] })) as [Node];
  const server = await served(a);
  const { id } = await a.project.dialogs.create({ content: "Hello" });
  const secret = a.project.cluster?.secret ?? "";
  const { api } = clientOf(server, secret);
  expect((await api.projects()).length).toBe(1);
  await expect(api.dialogs.send(id, { content: "Do it" })).rejects.toMatchObject({ code: "forbidden" });
  const signIn = await fetch(`${server.url}/api/session`, { method: "POST", body: JSON.stringify({ token: secret }) });
  expect(signIn.status).toBe(401);
  await expect(clientOf(server, `${secret}x`).api.projects()).rejects.toMatchObject({ code: "unauthorized" });
});
