import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NostrEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { projectFolder, startVictim, type Victim } from "../../server/test/folder.ts";
import { loadedBy } from "../../server/test/protocols/loaded-by.ts";
import { api } from "../../server/test/support.ts";
import { Person, putOnNostr, startRelay, tag } from "./support.ts";

/** A served team on relays, and Anna, who may talk to it. */
async function talking({ script, relays = 1 }: { readonly script?: string; readonly relays?: number } = {}) {
  const all = await Promise.all(Array.from({ length: relays }, startRelay));
  const [relay] = all;
  if (!relay) throw new Error("no relay");
  const [anna, lead, coder, project] = [await new Person().connect(relay.url), new Person(), new Person(), new Person()];
  const dir = projectFolder();
  const keys = { lead: lead.nsec, coder: coder.secret, project: project.nsec };
  const settings = { relays: all.map(({ url }) => url), allow: [anna.npub], keys, ...(script !== undefined && { script }) };
  putOnNostr(dir, settings);
  const server = await startVictim(dir);
  return { relay, relays: all, anna, lead, coder, project, dir, server, settings };
}

const read = async ({ url, token }: Victim, path: string) =>
  (await api(url)("GET", `/projects/shop${path}`, undefined, { authorization: `Bearer ${token}` })).body;
const countsOf = async (server: Victim) => (await read(server, "/settings")).nostr.counts;
/** Who said what in a dialog, in order. */
async function story(server: Victim, id: string): Promise<readonly string[]> {
  const { events } = await read(server, `/dialogs/${id}/events?limit=1000`);
  return (events as { event: { type: string; by?: string; content?: string; agent?: string; parts?: { saying?: string }[] } }[]).flatMap(
    ({ event }) => {
      if (event.type === "message.added") return [`${event.by?.slice(0, 4)}: ${event.content}`];
      if (event.type === "step.ended") return [`${event.agent}: ${event.parts?.map(({ saying }) => saying).join("")}`];
      return [];
    },
  );
}

test("[NS1] a message to an agent's key begins a dialog, and the reply answers it", async () => {
  const { anna, lead, project, server } = await talking();
  const said = await anna.say({ content: "Hello", tags: [["p", lead.pubkey]] });
  const reply = await anna.hears(({ kind, pubkey }) => kind === 1111 && pubkey === lead.pubkey);
  expect(reply.content).toBe("I heard: Hello");
  expect(reply.tags).toEqual([
    ["p", anna.pubkey],
    ["E", said.id],
    ["K", "1111"],
    ["P", anna.pubkey],
    ["e", said.id],
    ["k", "1111"],
    ["a", `31933:${project.pubkey}:shop`],
  ]);
  expect(await read(server, `/dialogs/${said.id}`)).toMatchObject({ rootId: said.id, agentId: "lead" });
});

test("[NS2] [NS3] [NS6] a conversation goes on: other agents, the project's key, and words for nobody", async () => {
  const { anna, lead, coder, project, server } = await talking();
  const root = await anna.say({ content: "Hello", tags: [["p", project.pubkey]] });
  const inIt = [
    ["E", root.id],
    ["K", "1111"],
    ["P", anna.pubkey],
    ["e", root.id],
  ];
  await anna.hears(({ content }) => content === "I heard: Hello");
  await anna.say({ content: "For the record", tags: inIt });
  await anna.say({
    content: "An old one",
    kind: 513,
    tags: [...inIt, ["p", coder.pubkey], ["branch", "fix"], ["a", `30023:${anna.pubkey}:plan`]],
  });
  const old = await anna.hears(({ content, pubkey }) => pubkey === coder.pubkey && content.startsWith("I heard: An old one"));
  expect(tag(old, "k")).toEqual(["513"]);
  await anna.say({ content: "Nobody knows this one", tags: [["E", "f".repeat(64)]] });
  await anna.say({ content: "Both of you", tags: [...inIt, ["p", coder.pubkey], ["p", lead.pubkey]] });
  for (const { pubkey } of [coder, lead])
    await anna.hears((event) => event.pubkey === pubkey && event.kind === 1111 && event.content.endsWith("I heard: Both of you"));
  expect((await story(server, root.id)).slice(0, 5)).toEqual([
    "npub: Hello",
    "lead: I heard: Hello",
    "npub: For the record",
    `npub: An old one\n\nBranch: fix\nArticle: 30023:${anna.pubkey}:plan`,
    old.content.replace(/^/, "coder: "),
  ]);
  expect((await read(server, "/dialogs")).dialogs).toHaveLength(1);
});

test("[NS4] [NS5] [NS7] an agent that waits says so, and only the end of its turn is a completion", async () => {
  const script = `rules:
  - when: { text: Start }
    do: [{ say: "Let me see." }, { call: { tool: askHuman, input: { tellaskContent: "Blue?" } } }]
  - do: { say: "All done." }
`;
  const { anna, lead, server } = await talking({ script });
  const root = await anna.say({ content: "Start", tags: [["p", lead.pubkey]] });
  const partial = await anna.hears(({ content, kind }) => kind === 1111 && content === "Let me see.");
  expect(tag(partial, "p")).toEqual([]);
  expect(tag(partial, "e")).toEqual([root.id]);
  const inIt = [
    ["p", lead.pubkey],
    ["E", root.id],
    ["e", root.id],
  ];
  const more = await anna.say({ content: "Are you there?", tags: inIt });
  const busy = await anna.hears((event) => event.kind === 1111 && tag(event, "e")[0] === more.id);
  expect(tag(busy, "p")).toEqual([]);
  const completes = (event: NostrEvent) => tag(event, "p").includes(anna.pubkey) && tag(event, "e").length > 0;
  expect(anna.heard.filter(completes)).toEqual([]);
  const { questions } = await read(server, "/questions");
  const headers = { authorization: `Bearer ${server.token}` };
  await api(server.url)("POST", `/projects/shop/questions/${questions[0].id}/answer`, { content: "Yes", msgId: "1" }, headers);
  const reply = await anna.hears(completes);
  expect(reply).toMatchObject({ kind: 1111, content: "All done." });
  expect(tag(reply, "e")).toEqual([root.id]);
  const streamed = anna.heard.filter(({ kind }) => kind === 21111);
  expect(streamed.map((event) => tag(event, "E"))).toEqual(streamed.map(() => [root.id]));
  expect(tag(streamed[0] ?? reply, "sequence")).toEqual(["1"]);
});

test("[NS8] [NS9] what others, forgers and repeaters send changes nothing but counters", async () => {
  const { relay, anna, lead, server } = await talking();
  const eve = await new Person().connect(relay.url);
  await eve.say({ content: "Let me in", tags: [["p", lead.pubkey]] });
  const hello = await anna.say({ content: "Hello", tags: [["p", lead.pubkey]] });
  await anna.publish(hello);
  await anna.hears(({ content }) => content === "I heard: Hello");
  expect(await countsOf(server)).toMatchObject({ accepted: 1 });
  expect((await read(server, "/dialogs")).dialogs).toMatchObject([{ rootId: hello.id }]);
});

test("[NS9] [NS12] [NS13] server and relays are killed, and each event counts once", async () => {
  const { relays, anna, lead, dir, server } = await talking({ relays: 2 });
  const [first, second] = relays;
  if (!first || !second) throw new Error("two relays");
  await second.kill();
  const root = await anna.say({ content: "wait for it", tags: [["p", lead.pubkey]] });
  await expect.poll(async () => (await read(server, "/dialogs")).dialogs).toHaveLength(1);
  await server.kill("SIGKILL");
  const next = await anna.say({
    content: "Next",
    tags: [
      ["p", lead.pubkey],
      ["E", root.id],
      ["e", root.id],
    ],
  });
  const again = await startVictim(dir);
  const reply = await anna.hears((event) => tag(event, "e")[0] === root.id && tag(event, "p").includes(anna.pubkey));
  await expect.poll(async () => (await story(again, root.id)).filter((line) => line === "npub: Next")).toHaveLength(1);
  await again.kill("SIGKILL");
  await first.kill();
  const third = await startVictim(dir);
  await second.restart();
  const bob = await new Person().connect(second.url);
  const late = await bob.hears((event) => event.id === reply.id);
  expect(late).toEqual(reply);
  await first.restart();
  await anna.connect(first.url);
  await anna.publish(next);
  const last = await anna.say({
    content: "Last",
    tags: [
      ["p", lead.pubkey],
      ["E", root.id],
      ["e", root.id],
    ],
  });
  await anna.hears((event) => tag(event, "e")[0] === last.id && tag(event, "p").includes(anna.pubkey));
  const told = await story(third, root.id);
  expect(told.filter((line) => line.startsWith("npub"))).toEqual(["npub: wait for it", "npub: Next", "npub: Last"]);
  const finals = anna.heard.filter((event) => event.pubkey === lead.pubkey && tag(event, "p").includes(anna.pubkey));
  expect(new Set(finals.map((event) => tag(event, "e")[0])).size).toBe(finals.length);
});

test("[NS13] what was said while nobody was there is handled in order", async () => {
  const { anna, lead, dir, server } = await talking();
  await server.kill("SIGTERM");
  const now = Math.floor(Date.now() / 1_000);
  const root = anna.sign({ content: "One", tags: [["p", lead.pubkey]], createdAt: now - 20 * 60 });
  const inIt = [
    ["p", lead.pubkey],
    ["E", root.id],
    ["e", root.id],
  ];
  // A relay gives the newest first.
  const rest = ["Two", "Three"].map((content, nth) => anna.sign({ content, tags: inIt, createdAt: now - 600 + nth }));
  for (const event of [...rest.toReversed(), root]) await anna.publish(event);
  const again = await startVictim(dir);
  await expect
    .poll(async () => (await story(again, root.id).catch(() => [])).filter((line) => line.startsWith("npub")))
    .toEqual(["npub: One", "npub: Two", "npub: Three"]);
});

test("[NS15] [NS16] wrong settings and keys that others can read are refused", async () => {
  const anna = new Person();
  const dir = projectFolder();
  const start = async () =>
    startVictim(dir).then(
      () => "started",
      (error: Error) => error.message,
    );
  putOnNostr(dir, { relays: ["https://relay.example.org"], allow: [anna.nsec], keys: {} });
  const message = await start();
  expect(message).toContain("nostr.relays[0]");
  expect(message).toContain("nostr.allow[0]");
  expect(message).not.toContain(anna.nsec);
  putOnNostr(dir, { relays: ["ws://127.0.0.1:1"], allow: [anna.npub], keys: { lead: "nsec1nonsense" } });
  expect(await start()).toBe("KEY_lead is no secret key: it must be nsec1… or 64 hex digits.");
  rmSync(join(dir, ".env"));
  const file = join(dir, ".dialogs/nostr.keys");
  writeFileSync(file, `KEY_lead=${anna.nsec}\n`, { mode: 0o644 });
  expect(statSync(file).mode & 0o077).not.toBe(0);
  expect(await start()).toContain(`chmod 600 ${file}`);
});

test("[NS18] without relays, nothing of it is loaded", async () => {
  expect(await loadedBy("nostr")).toEqual([]);
});
