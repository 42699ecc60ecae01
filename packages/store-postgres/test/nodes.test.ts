import type { Project } from "@colloquy/library";
import type { ModelRequest } from "@colloquy/models";
import { call, say } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { newDatabase } from "./database.ts";
import { type Node, nodes, openAll, placed } from "./nodes.ts";
import { proxyTo } from "./proxy.ts";

const never = new Promise<void>(() => undefined);
const asking = call("askHuman", { tellaskContent: "Red or blue?" });
const asks = call("tellaskSessionless", { targetAgentId: "coder", tellaskContent: "Which colour?" });
/** Works once, under the name that the person gave. */
const workOrEnd = (messages: ModelRequest["messages"]) =>
  messages.some(({ role }) => role === "assistant")
    ? say("Done.")
    : call("work", { name: JSON.stringify(messages).includes("short") ? "short" : "long" });
const types = async (project: Project, id: string): Promise<readonly string[]> =>
  (await project.dialogs.events(id as never)).flatMap(({ events }) => events.map(({ type }) => type));

test("[PG7] [PG20] a question asked on one node is answered on another, and the tree continues there", async () => {
  const telling = { lead: [asks, say("Blue it is.")], coder: [asking, say("Blue.")] };
  const [a, b] = (await nodes(telling, telling)) as [Node, Node];
  const dialog = await a.project.dialogs.create({ content: "Paint it." });
  const question = await expect
    .poll(async () => (await b.project.questions.list())[0])
    .toBeDefined()
    .then(async () => (await b.project.questions.list())[0]);
  await b.project.questions.answer(question?.id ?? "", { content: "Blue" });
  expect(await b.project.dialogs.get(dialog.id).result()).toBe("Blue it is.");
  expect(await dialog.result()).toBe("Blue it is.");
  expect(await types(a.project, dialog.id)).toEqual(await types(b.project, dialog.id));
  expect([a.requests.length, b.requests.length]).toEqual([2, 2]);
});

test("[PG21] any node accepts a message for a busy tree, and the owner reads it", async () => {
  let go = () => {};
  const hold = new Promise<void>((open) => (go = open));
  const telling = { lead: [{ hold, say: "One." }, say("Two.")] };
  const [a, b] = (await nodes(telling, telling)) as [Node, Node];
  const dialog = await a.project.dialogs.create({ content: "First" });
  await expect.poll(() => a.requests.length).toBe(1);
  await b.project.dialogs.get(dialog.id).send("Second");
  go();
  await expect.poll(async () => (await types(b.project, dialog.id)).filter((type) => type === "step.ended").length).toBe(2);
  expect(await b.project.dialogs.get(dialog.id).result()).toBe("Two.");
  expect(b.requests).toHaveLength(0);
});

test("[PG22] a stop by any node aborts what the owner is doing", async () => {
  const telling = { lead: [{ hold: never, say: "Never." }] };
  const [a, b] = (await nodes(telling, telling)) as [Node, Node];
  const dialog = await a.project.dialogs.create({ content: "First" });
  await expect.poll(() => a.requests.length).toBe(1);
  await b.project.dialogs.get(dialog.id).stop();
  await expect.poll(async () => (await a.project.dialogs.view(dialog.id)).generating).toBe(false);
  expect(await types(a.project, dialog.id)).toContain("dialog.stopped");
});

test("[PG23] the trees of a node that is killed are taken over, once, and its last step counts as an attempt", async () => {
  const [a, b, c] = (await nodes({ lead: [{ hold: never, say: "Never." }] }, { lead: [say("Done.")] }, { lead: [say("Done.")] })) as [
    Node,
    Node,
    Node,
  ];
  const dialogs = await Promise.all(Array.from({ length: 10 }, (_, nth) => a.project.dialogs.create({ content: `Work ${nth}` })));
  await expect.poll(() => a.requests.length).toBe(10);
  await a.kill();
  for (const { id } of dialogs) expect(await b.project.dialogs.get(id).result()).toBe("Done.");
  expect(b.requests.length + c.requests.length).toBe(10);
  for (const { id } of dialogs) expect((await types(c.project, id)).filter((type) => type === "step.attempted")).toHaveLength(1);
});

test("[PG24] a node that closes hands its trees over, and no attempt is counted", async () => {
  const [a, b] = (await nodes({ lead: [{ hold: never, say: "Never." }] }, { lead: [say("Done.")] })) as [Node, Node];
  const dialog = await a.project.dialogs.create({ content: "Work" });
  await expect.poll(() => a.requests.length).toBe(1);
  await a.project.close();
  expect(await b.project.dialogs.get(dialog.id).result()).toBe("Done.");
  expect(await types(b.project, dialog.id)).not.toContain("step.attempted");
});

test("[PG24] a closing node hands each tree over as soon as the tree's tool has ended, and stays a node meanwhile", async () => {
  const gates = new Map(["short", "long"].map((name) => [name, Promise.withResolvers<string>()]));
  const telling = { smith: ({ messages }: ModelRequest) => workOrEnd(messages) };
  const [a, b] = (await placed([
    ["here", telling, (name) => gates.get(name)?.promise ?? Promise.resolve("")],
    ["there", telling],
  ])) as [Node, Node];
  const [short, long] = await Promise.all(
    ["short", "long"].map((content) => a.project.dialogs.create({ content, agent: "smith" as never })),
  );
  const isWorking = async (id = "") => (await types(b.project, id)).includes("call.started");
  await expect.poll(() => Promise.all([isWorking(short?.id), isWorking(long?.id)])).toEqual([true, true]);
  let isClosed = false;
  const closing = a.project.close().then(() => (isClosed = true));
  gates.get("short")?.resolve("It is short.");
  expect(await b.project.dialogs.get(short?.id ?? "").result()).toBe("Done.");
  expect(isClosed).toBe(false);
  // Longer than a lease, and it is not declared dead.
  const closingAt = Date.now();
  await expect
    .poll(async () => {
      expect((await b.project.nodes()).map(({ place }) => place)).toEqual(expect.arrayContaining(["here", "there"]));
      return Date.now() - closingAt;
    })
    .toBeGreaterThan(3_500);
  gates.get("long")?.resolve("It is long.");
  expect(await b.project.dialogs.get(long?.id ?? "").result()).toBe("Done.");
  await closing;
  const all = [...(await types(b.project, short?.id ?? "")), ...(await types(b.project, long?.id ?? ""))];
  expect(all).not.toContain("step.attempted");
  expect(all.filter((type) => type === "call.started")).toHaveLength(2);
});

test("[PG25] the same creation sent to two nodes at once is one dialog", async () => {
  const telling = { lead: [say("Hello.")] };
  const [a, b] = (await nodes(telling, telling)) as [Node, Node];
  for (let nth = 0; nth < 5; nth += 1) {
    const made = await Promise.all([a, b].map(({ project }) => project.dialogs.create({ content: "Hi", msgId: `m${nth}` })));
    expect(made[0]?.id).toBe(made[1]?.id);
  }
  const both = await Promise.all(
    [a, b].flatMap(({ project }, side) => Array.from({ length: 20 }, (_, nth) => project.dialogs.create({ content: `${side} ${nth}` }))),
  );
  for (const { id } of both) expect(await a.project.dialogs.get(id).result()).toBe("Hello.");
  expect(b.project.dialogs.list()).toHaveLength(45);
});

test("[PG26] a tree whose agent works on files stays in its place", async () => {
  const held = { clerk: [{ hold: never, say: "Never." }], lead: [{ hold: never, say: "Never." }] };
  const done = { clerk: [say("Filed.")], lead: [say("Led.")] };
  const [here, , there] = (await placed([
    ["here", held],
    ["here", done],
    ["there", done],
  ])) as [Node, Node, Node];
  const files = await Promise.all([1, 2, 3].map((nth) => here.project.dialogs.create({ content: `File ${nth}`, agent: "clerk" as never })));
  const free = await here.project.dialogs.create({ content: "Lead" });
  await expect.poll(() => here.requests.length).toBe(4);
  await here.kill();
  for (const { id } of files) expect(await there.project.dialogs.get(id).result()).toBe("Filed.");
  expect(await there.project.dialogs.get(free.id).result()).toBe("Led.");
  expect(there.requests.map(({ agent }) => agent)).not.toContain("clerk");
});

test("[PG27] [PG29] while three nodes command and drive the same trees, each receives every commit once and in order", async () => {
  const telling = { lead: () => say("Yes.") };
  const all = await nodes(telling, telling, telling);
  const told = all.map(({ project }) => {
    const seen: number[] = [];
    project.onCommit(({ pos }) => seen.push(pos));
    return seen;
  });
  const dialogs = await Promise.all(all.map(({ project }, nth) => project.dialogs.create({ content: `Work ${nth}` })));
  for (let round = 0; round < 5; round += 1)
    await Promise.all(all.flatMap(({ project }) => dialogs.map(({ id }) => project.dialogs.get(id).send(`Round ${round}`))));
  for (const { project } of all) for (const { id } of dialogs) await project.dialogs.get(id).result();
  const last = Math.max(...told.flat());
  for (const seen of told) await expect.poll(() => seen.at(-1)).toBe(last);
  for (const seen of told) expect(seen).toEqual(Array.from({ length: seen.length }, (_, nth) => last - seen.length + 1 + nth));
  const views = await Promise.all(all.map(({ project }) => Promise.all(dialogs.map(({ id }) => types(project, id)))));
  expect(views[1]).toEqual(views[0]);
  expect(views[2]).toEqual(views[0]);
  // Every message was read: nothing is left to do anywhere.
  expect(views[0]?.map((events) => events.filter((type) => type === "message.added").length)).toEqual([16, 16, 16]);
});

test("[PG29] what one node has acknowledged, another finds at once", async () => {
  const [a, b] = (await nodes({ lead: () => say("Yes.") }, {})) as [Node, Node];
  for (let nth = 0; nth < 20; nth += 1) {
    const [one, two, three] = await Promise.all(["result", "events", "quiet"].map((content) => a.project.dialogs.create({ content })));
    const found = [
      b.project.dialogs.result(one?.id ?? ""),
      b.project.dialogs.events(two?.id ?? ""),
      b.project.dialogs.quiet(three?.id ?? ""),
    ];
    expect(await Promise.all(found)).toEqual(["Yes.", expect.any(Array), true]);
  }
});

test("[PG26] an answer for a tree of another place is accepted, and acted on when that place is back", async () => {
  const telling = { clerk: [asking, say("Filed.")] };
  const [here, there] = (await placed([
    ["here", telling],
    ["there", telling],
  ])) as [Node, Node];
  const { id } = await here.project.dialogs.create({ content: "File it", agent: "clerk" as never });
  await expect.poll(async () => (await there.project.questions.list()).length).toBe(1);
  await here.kill();
  await expect.poll(() => there.others()).toBe(0);
  const [question] = await there.project.questions.list();
  await there.project.questions.answer(question?.id ?? "", { content: "Blue" });
  expect(await types(there.project, id)).toContain("question.closed");
  expect(there.requests).toHaveLength(0);
});

test("[PG10] a node that loses its session stops its work and resumes it under another name; no attempt is counted", async () => {
  const { url } = await newDatabase();
  const proxy = await proxyTo(url);
  let held = 0;
  const telling = { lead: () => (held++ === 0 ? { hold: never, say: "Never." } : say("Done.")) };
  const [node] = (await openAll(proxy.url, [["here", telling]])) as [Node];
  const dialog = await node.project.dialogs.create({ content: "Work" });
  await expect.poll(() => node.requests.length).toBe(1);
  proxy.cut();
  proxy.restore();
  expect(await dialog.result()).toBe("Done.");
  expect(await types(node.project, dialog.id)).not.toContain("step.attempted");
});
