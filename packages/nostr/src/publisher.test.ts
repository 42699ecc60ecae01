import { Fault, type Line, npubOf, type RootId, type StreamId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Identities } from "./identities.ts";
import type { NostrProject, Signed } from "./nostr-project.ts";
import { originOf } from "./origin.ts";
import { Publisher } from "./publisher.ts";
import { SignedLog } from "./signed-log.ts";
import { Signer } from "./signer.ts";

const signer = await Signer.load();
const anna = signer.publicKey(signer.newKey());
const lead = signer.newKey();
const root = { id: "a".repeat(64), kind: 1111, pubkey: anna };
const rootId = root.id as RootId;
const here = { dialog: rootId, course: 1 };

const lines = [
  [{ type: "dialog.created", agent: "lead" }],
  [{ type: "message.added", by: npubOf(anna), content: "Hello", to: ["lead"], opens: ["lead"] }],
  [{ type: "step.ended", agent: "lead", turn: 2, ends: true, parts: [{ saying: "Hello, Anna." }] }],
].map(
  (events, nth) =>
    ({ v: 1, pos: nth + 1, seq: nth + 1, at: "", events: events.map((event) => ({ ...here, ...event })) }) as unknown as Line,
);

/** A publisher over this log; the first registrations fail with these errors. */
function publishing(failures: Error[]) {
  const signed: Signed[] = [];
  const reports: string[] = [];
  const project = {
    lines: async (_: StreamId, after: number) => lines.filter(({ seq }) => seq > after),
    registerSigned: async (one: Signed) => {
      const failure = failures.shift();
      if (failure) throw failure;
      signed.push(one);
    },
  } as Partial<NostrProject> as NostrProject;
  const log = new SignedLog(() => {});
  log.created.set(rootId, originOf(root, root));
  const keys = { agents: new Map([["lead", lead]]), project: undefined };
  const identities = new Identities(keys, { members: () => [{ id: "lead" }], defaultAgent: () => "lead" }, signer);
  const people = () => ({ allow: new Set([anna]), approve: new Set<string>() });
  const report = (message: string) => void reports.push(message);
  const publisher = new Publisher({ project, identities, signer, log, address: undefined, people, report }, 0);
  for (const line of lines) publisher.committed({ pos: line.pos, lines: [{ stream: rootId, line }] });
  return { publisher, signed, reports };
}

test("[NS12] what could not be registered is registered at the next attempt, and then once", async () => {
  const { publisher, signed } = publishing([new Error("the disk is full")]);
  await expect(publisher.work()).rejects.toThrow("the disk is full");
  expect(publisher.pos).toBe(2);
  await publisher.work();
  await publisher.work();
  expect(signed).toMatchObject([{ rootId, cause: 3, is: "reply", event: { content: "Hello, Anna.", kind: 1111 } }]);
  expect(publisher.pos).toBe(3);
});

test("[NS12] a dialog that cannot be read holds up nobody", async () => {
  const { publisher, reports } = publishing([new Fault("log_corrupt", "never", "Line 3 is damaged.")]);
  await publisher.work();
  expect(publisher.pos).toBe(3);
  expect(reports).toEqual(["Nostr: Line 3 is damaged."]);
});
