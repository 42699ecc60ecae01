import type { Line, RootId, TreeEvent } from "@colloquy/schema";
import { askPerson, say } from "@colloquy/testing";
import { world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { settle } from "../../runtime/test/scenarios/tools.ts";
import { treeEntries } from "../src/log-entries.ts";
import { TreeSpans } from "../src/tree-spans.ts";
import { delegateToBoth, TEAM } from "./trace-story.ts";

test("[OT22] a tree's log entries say who did what, with the ids of its trace, and contain no content", async () => {
  const telling = {
    lead: [delegateToBoth, say("Both.")],
    coder: [say("secret")],
    reviewer: [askPerson("Is the secret out?"), say("secret")],
  };
  const w = await world({ telling, agents: TEAM });
  const dialog = await w.project.dialogs.create({ content: "Keep the secret" });
  await settle();
  const [question] = await w.project.questions.list();
  await w.project.questions.answer(question?.id ?? "", { content: "the secret is out", by: "anna" });
  await dialog.result();
  const rootId = dialog.id as RootId;
  const lines = (await w.project.dialogs.events(rootId)) as readonly Line<TreeEvent>[];
  const entries = lines.flatMap((line) => treeEntries(rootId, line));
  const said = entries.map(({ message, agent }) => `${message}: ${String(agent)}`);
  expect(said.slice(0, 2)).toEqual(["dialog created: lead", "step ended: lead"]);
  expect(said.at(-1)).toBe("step ended: lead");
  // The two work side by side.
  expect(said.slice(2, -1).toSorted()).toEqual([
    "ask answered: lead",
    "ask answered: lead",
    "ask opened: lead",
    "ask opened: lead",
    "call ended: lead",
    "dialog created: coder",
    "dialog created: reviewer",
    "question asked: reviewer",
    "question closed: reviewer",
    "step ended: coder",
    "step ended: reviewer",
    "step ended: reviewer",
  ]);
  expect(JSON.stringify(entries)).not.toContain("secret");
  const spans = new TreeSpans(rootId);
  const sent = new Set(lines.flatMap((line) => spans.fold(line)).map(({ traceId, spanId }) => `${traceId} ${spanId}`));
  const named = entries.filter(({ message }) => message !== "dialog created").map(({ trace_id, span_id }) => `${trace_id} ${span_id}`);
  expect(named.filter((one) => !sent.has(one))).toEqual([]);
});
