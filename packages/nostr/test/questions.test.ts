import { expect, test } from "vitest";
import type { NostrEvent } from "@colloquy/schema";
import { projectFolder, startVictim } from "../../server/test/folder.ts";
import { api } from "../../server/test/support.ts";
import { Person, putOnNostr, signer, startRelay, tag } from "./support.ts";

const SCRIPT = `rules:
  - when: { text: Paint }
    do: { call: { tool: askHuman, input: { headline: "Which colour?", tellaskContent: "The shop needs paint.", options: [Blue, Green] } } }
  - when: { text: Deploy }
    do: { call: { tool: write_file, input: { path: a.txt, content: now } } }
  - when: { result: askHuman }
    do: { say: "So be it: {{text}}" }
  - do: { say: "I heard: {{text}}" }
`;

/** A team that asks, Anna who talks to it, and Otto who may approve. */
async function asking() {
  const relay = await startRelay();
  const [anna, otto, eve, lead] = [new Person(), new Person(), new Person(), new Person()];
  for (const one of [anna, otto, eve]) await one.connect(relay.url);
  const dir = projectFolder();
  putOnNostr(dir, {
    relays: [relay.url],
    allow: [anna.npub],
    approve: [otto.npub],
    keys: { lead: lead.nsec },
    script: SCRIPT,
    more: 'permissions: { "write_file(**)": ask }\n',
  });
  const server = await startVictim(dir);
  const read = async (path: string) =>
    (await api(server.url)("GET", `/projects/shop${path}`, undefined, { authorization: `Bearer ${server.token}` })).body;
  const events = async (id: string) => (await read(`/dialogs/${id}/events?limit=1000`)).events as { event: Record<string, unknown> }[];
  const closing = async (id: string) => (await events(id)).find(({ event }) => event["type"] === "question.closed")?.event;
  return { relay, anna, otto, eve, lead, dir, server, read, closing };
}

const replyTo = (event: NostrEvent) => [
  ["E", tag(event, "E")[0] ?? ""],
  ["e", event.id],
  ["p", event.pubkey],
];

test("[NS19] [NS20] [NS22] a signed reply answers a question, once, and proves who gave it", async () => {
  const { anna, eve, lead, read, closing } = await asking();
  const root = await anna.say({ content: "Paint the shop", tags: [["p", lead.pubkey]] });
  const question = await anna.hears((event) => tag(event, "question").length > 0);
  expect(question.content).toContain("1. Blue\n2. Green");
  expect(question.tags.filter(([name]) => name === "choice")).toEqual([
    ["choice", "1", "Blue"],
    ["choice", "2", "Green"],
  ]);
  expect(tag(question, "p")).toEqual([anna.pubkey]);
  expect(tag(question, "e")).toEqual([]);
  await eve.say({ content: "1", tags: replyTo(question) });
  const answer = await anna.say({ content: "2", tags: replyTo(question) });
  await anna.publish(answer);
  await anna.hears(({ content }) => content.startsWith("So be it:"));
  const closed = await closing(root.id);
  expect(closed).toMatchObject({ as: "answered", choice: ["Green"], by: anna.npub });
  expect(closed?.["proof"]).toEqual(answer);
  expect(signer.isGenuine(closed?.["proof"] as NostrEvent)).toBe(true);
  const shown = await read(`/questions/${tag(question, "question")[0]}`);
  expect(shown.answer).toMatchObject({ by: anna.npub, signed: true });
  const late = await anna.say({ content: "1", tags: replyTo(question) });
  await anna.hears((event) => event.kind === 1111 && tag(event, "e")[0] === late.id && event.content === "I heard: 1");
  expect((await closing(root.id))?.["choice"]).toEqual(["Green"]);
});

test("[NS21] only keys in approve approve, and they are shown the call", async () => {
  const { anna, otto, lead, closing } = await asking();
  const root = await anna.say({ content: "Deploy it", tags: [["p", lead.pubkey]] });
  const approval = await otto.hears((event) => tag(event, "question").length > 0);
  expect(tag(approval, "p")).toEqual([otto.pubkey]);
  expect(approval.content).toContain("a.txt");
  const tried = await anna.say({ content: "approve", tags: replyTo(approval) });
  await anna.hears((event) => event.kind === 1111 && tag(event, "e")[0] === tried.id);
  expect(await closing(root.id)).toBeUndefined();
  const given = await otto.say({ content: "approve", tags: replyTo(approval) });
  await expect.poll(() => closing(root.id)).toMatchObject({ verdict: "approved", by: otto.npub, proof: given });
});
