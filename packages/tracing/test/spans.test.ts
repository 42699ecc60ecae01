import type { Line, RootId } from "@colloquy/schema";
import { ask, askPerson, call, say, type Telling } from "@colloquy/testing";
import { type World, world } from "@colloquy/testing/internals";
import { expect, test } from "vitest";
import { settle } from "../../runtime/test/scenarios/tools.ts";
import { traceIdOf, type Span } from "../src/span.ts";
import type { SpanOptions } from "../src/span-writer.ts";
import { TreeSpans } from "../src/tree-spans.ts";
import { delegateToBoth, outline, TEAM } from "./trace-story.ts";

const spansOf = (rootId: RootId, lines: readonly Line[], options: SpanOptions = {}): readonly Span[] => {
  const tree = new TreeSpans(rootId, { nameOf: (id) => TEAM.find((agent) => agent.id === id)?.name, ...options });
  return lines.flatMap((line) => tree.fold(line));
};

async function play(telling: Telling, tell: (w: World) => Promise<{ readonly id: string }>) {
  const w = await world({ telling, agents: TEAM });
  const { id } = await tell(w);
  await settle();
  const rootId = id as RootId;
  const lines = await w.project.dialogs.events(rootId);
  return { w, rootId, lines, spans: (options?: SpanOptions) => spansOf(rootId, lines, options) };
}

const named = (spans: readonly Span[], name: string) => spans.filter((span) => span.name === name);
const only = (spans: readonly Span[], name: string): Span => {
  const [one, ...others] = named(spans, name);
  if (!one || others.length > 0) throw new Error(`${others.length + (one ? 1 : 0)} spans ${name}`);
  return one;
};

/** Two recipients; one of them asks a person, who answers after an hour. */
const twoRecipients = () =>
  play({ lead: [delegateToBoth, say("Both.")], coder: [say("a")], reviewer: [askPerson("Is it done?"), say("b")] }, async (w) => {
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    w.clock.advance(3_600_000);
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id ?? "", { content: "Yes" });
    await dialog.result();
    return dialog;
  });

test("[OT1] [OT2] [OT3] a delegation is one connected trace, and the same log gives the same spans", async () => {
  const { rootId, spans } = await twoRecipients();
  const all = spans();
  expect(new Set(all.map(({ traceId }) => traceId))).toEqual(new Set([traceIdOf(rootId)]));
  expect(new Set(all.map(({ spanId }) => spanId)).size).toBe(all.length);
  expect(spans()).toEqual(all);
  expect(outline(all)).toEqual([
    "colloquy.dialog",
    "  invoke_agent Lead",
    "    tenex.agent.execute",
    "      chat model",
    "      execute_tool delegate",
    "    colloquy.ask Coder",
    "      invoke_agent Coder",
    "        tenex.agent.execute",
    "          chat model",
    "    tenex.delegation.completion_check",
    "    colloquy.ask Reviewer",
    "      invoke_agent Reviewer",
    "        tenex.agent.execute",
    "          chat model",
    "          execute_tool askHuman",
    "        colloquy.question question",
    "        tenex.agent.execute",
    "          chat model",
    "    tenex.delegation.completion_check",
    "    tenex.delegation.resumption",
    "    tenex.agent.execute",
    "      chat model",
  ]);
});

test("[OT2] spans of steps, calls and turns name model, tokens, conversation and tool", async () => {
  const { rootId, spans } = await twoRecipients();
  const all = spans();
  expect(named(all, "chat model")[0]).toMatchObject({
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "told",
      "gen_ai.request.model": "model",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 10,
      "gen_ai.conversation.id": rootId,
      "gen_ai.agent.id": "lead",
      "gen_ai.agent.name": "Lead",
      "gen_ai.response.finish_reasons": ["tool_call"],
    },
  });
  expect(only(all, "execute_tool delegate").attributes).toMatchObject({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "delegate",
    "gen_ai.tool.type": "function",
  });
  expect(only(all, "invoke_agent Lead").attributes).toMatchObject({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.usage.input_tokens": 200,
    "gen_ai.usage.output_tokens": 20,
    "colloquy.turn.steps": 2,
  });
  const lead = only(all, "invoke_agent Lead");
  const stretches = named(all, "tenex.agent.execute").filter(({ parentId }) => parentId === lead.spanId);
  expect(stretches.map(({ attributes }) => [attributes["ral.status"], attributes["ral.pending_delegations"]])).toEqual([
    ["paused", 2],
    ["done", 0],
  ]);
});

test("[OT3] [OT4] a resumed turn is linked to what woke it", async () => {
  const { spans } = await twoRecipients();
  const all = spans();
  const asks = ["colloquy.ask Coder", "colloquy.ask Reviewer"].map((name) => only(all, name));
  expect(named(all, "tenex.delegation.completion_check").map(({ attributes, links }) => [attributes, links])).toEqual([
    [
      expect.objectContaining({
        "delegation.all_complete": false,
        "delegation.pending_count": 1,
        "delegation.completed_count": 1,
        "delegation.event_id": asks[0]?.attributes["delegation.event_id"],
        "ral.status": "paused",
        "ral.pending_delegations": 1,
      }),
      [{ spanId: asks[0]?.spanId }],
    ],
    [
      expect.objectContaining({
        "delegation.all_complete": true,
        "delegation.pending_count": 0,
        "delegation.completed_count": 2,
        "delegation.event_id": asks[1]?.attributes["delegation.event_id"],
        "ral.status": "executing",
        "ral.pending_delegations": 0,
      }),
      [{ spanId: asks[1]?.spanId }],
    ],
  ]);
  const checks = named(all, "tenex.delegation.completion_check");
  expect(only(all, "tenex.delegation.resumption")).toMatchObject({
    attributes: { "delegation.all_complete": true, "delegation.completed_count": 2, "ral.status": "executing" },
    links: checks.map(({ spanId }) => ({ spanId })),
  });
  const again = named(all, "tenex.agent.execute").filter(({ parentId }) => parentId === only(all, "invoke_agent Lead").spanId)[1];
  expect(again?.links).toEqual(asks.map(({ spanId }) => ({ spanId })));
  const reviewing = named(all, "tenex.agent.execute").filter(({ parentId }) => parentId === only(all, "invoke_agent Reviewer").spanId);
  expect(reviewing[1]?.links).toEqual([{ spanId: only(all, "colloquy.question question").spanId }]);
});

test("[OT5] a message for a busy agent is queued, acknowledged and read", async () => {
  const { w, spans } = await play({ lead: [ask("coder", "x"), say("Both.")], coder: [askPerson("?"), say("a")] }, async (w) => {
    const dialog = await w.project.dialogs.create({ content: "go" });
    await settle();
    w.clock.advance(5_000);
    await dialog.send("And quickly.");
    const [question] = await w.project.questions.list();
    await w.project.questions.answer(question?.id ?? "", { content: "Yes" });
    await dialog.result();
    return dialog;
  });
  const all = spans();
  const lead = only(all, "invoke_agent Lead");
  expect(lead.events.map(({ name, attributes }) => [name, attributes["ral.status"], attributes["ral.pending_delegations"]])).toEqual([
    ["ral.event_queued", "paused", 1],
    ["ral.injections_persisted", "executing", undefined],
  ]);
  expect(only(all, "tenex.busy_responder.generate")).toMatchObject({ parentId: lead.spanId, attributes: { "gen_ai.agent.id": "lead" } });
  expect(w.reports).toEqual([]);
});

test("[OT6] a question's span says who answered, in which role, and how long it took", async () => {
  const { spans } = await twoRecipients();
  const question = only(spans(), "colloquy.question question");
  expect(question.endMs - question.startMs).toBe(3_600_000);
  expect(question.attributes).toMatchObject({
    "colloquy.question.closed_as": "answered",
    "colloquy.question.by": expect.any(String),
    "colloquy.question.waited_ms": 3_600_000,
  });
  expect(question.events.map(({ name }) => name)).toEqual(["question.asked", "question.answered"]);
});

test("[OT7] spans contain no content unless it is enabled, and then without keys", async () => {
  const telling = { lead: [call("addReminder", { content: "the key is sk-1234567890" }), say("The word is plover; sk-1234567890.")] };
  const { spans } = await play(telling, async (w) => {
    const dialog = await w.project.dialogs.create({ content: "Say plover" });
    await dialog.result();
    return dialog;
  });
  expect(JSON.stringify(spans())).not.toMatch(/plover|sk-12|reminder"/);
  const withContent = spans({ content: (text) => text.replaceAll("sk-1234567890", "[masked]") });
  const turn = only(withContent, "invoke_agent Lead");
  expect(turn.attributes["gen_ai.input.messages"]).toBe('[{"role":"user","parts":[{"type":"text","content":"Say plover"}]}]');
  expect(turn.attributes["gen_ai.output.messages"]).toContain("The word is plover; [masked].");
  expect(only(withContent, "execute_tool addReminder").attributes["gen_ai.tool.call.arguments"]).toContain("[masked]");
  expect(JSON.stringify(withContent)).not.toContain("sk-1234567890");
});
