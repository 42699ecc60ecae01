import { describe, expect, test } from "vitest";
import { decide } from "./decide.ts";
import { decideCreation, emptyProject, applyToProject } from "../state/project.ts";
import { accepted, callId, callPart, dialog, lead, rootId, rules, send, startedTree, step, verb } from "../testing.ts";
import { mainDialog, runOf } from "../state/tree.ts";
import { DialogId, QuestionId } from "@colloquy/schema";

describe("creating", () => {
  const creation = { content: "Make it so", by: "anna", msgId: "m1" };
  const made = decideCreation(emptyProject(), creation, { rootId, agent: lead, team: rules().team });
  const project = made.kind === "made" ? made.project.reduce((p, e) => applyToProject(p, e, 1), emptyProject()) : emptyProject();

  test("[D1] the same msgId gives the same dialog", () => {
    expect(decideCreation(project, creation, { rootId, agent: lead, team: rules().team })).toEqual({ kind: "known", rootId, seq: 2 });
  });
  test("[D1] another sender may use the same msgId", () => {
    expect(decideCreation(project, { ...creation, by: "ben" }, { rootId, agent: lead, team: rules().team }).kind).toBe("made");
  });
  test("[D2] the same msgId with other content is refused", () => {
    expect(decideCreation(project, { ...creation, content: "Other" }, { rootId, agent: lead, team: rules().team })).toMatchObject({
      refusal: { code: "msg_id_reused" },
    });
  });
  test("[D3] a message without text is refused", () => {
    expect(decideCreation(project, { content: " \n ", by: "anna" }, { rootId, agent: lead, team: rules().team })).toMatchObject({
      refusal: { code: "empty_content" },
    });
  });
  test("[D11] the first line is the title", () => {
    expect(mainDialog(startedTree("# Orders API\n\nPlease …"))?.title).toBe("Orders API");
    expect(mainDialog(startedTree("x".repeat(200)))?.title).toHaveLength(80);
  });
});

test("[D11] a renamed dialog has the new title", () => {
  const tree = startedTree();
  expect(mainDialog(accepted(tree, decide(tree, { type: "rename", dialog, by: "anna", title: " New " }, rules())))?.title).toBe("New");
  expect(decide(tree, { type: "rename", dialog, by: "anna", title: " " }, rules())).toMatchObject({ refusal: { code: "empty_content" } });
});

test("[D4] a repeated message gets the first one's receipt and adds nothing", () => {
  const tree = startedTree();
  const once = accepted(tree, decide(tree, send("again", { msgId: "m7" }), rules()));
  expect(decide(once, send("again", { msgId: "m7" }), rules())).toEqual({ ok: true, seq: tree.seq + 1, events: [] });
});

test("[D4] a repetition is recognised even if the dialog has been archived", () => {
  const tree = startedTree();
  const sent = accepted(tree, decide(tree, send("again", { msgId: "m7" }), rules()));
  const archived = accepted(sent, decide(sent, verb("archive"), rules()));
  expect(decide(archived, send("again", { msgId: "m7" }), rules())).toMatchObject({ ok: true, seq: tree.seq + 1, events: [] });
});

test("[D2] the same msgId with other words is refused", () => {
  const tree = startedTree();
  const once = accepted(tree, decide(tree, send("again", { msgId: "m7" }), rules()));
  expect(decide(once, send("different", { msgId: "m7" }), rules())).toMatchObject({ refusal: { code: "msg_id_reused" } });
});

test("[D2] the same msgId is refused even if the other command would now be refused or change nothing", () => {
  const tree = startedTree();
  const sent = accepted(tree, decide(tree, send("again", { msgId: "m7" }), rules()));
  const archived = accepted(sent, decide(sent, verb("archive"), rules()));
  const reused = { refusal: { code: "msg_id_reused" } };
  expect(decide(archived, send("different", { msgId: "m7" }), rules())).toMatchObject(reused);
  expect(decide(archived, verb("archive", "m7"), rules())).toMatchObject(reused);
});

test("[D2] an answer under another answer's msgId is refused, whatever they differ in", () => {
  const tree = startedTree();
  const card = { headline: "Pay?", text: "" };
  const asked = accepted(
    tree,
    step(tree, [callPart(1, { tool: "pay", kind: "effects" })], { approvals: new Map([[callId(1) as string, card]]) }),
  );
  const approve = { type: "approve", question: QuestionId.parse(callId(1)), by: "anna", msgId: "m8" } as const;
  const approved = accepted(asked, decide(asked, approve, rules()));
  expect(decide(approved, approve, rules())).toMatchObject({ ok: true, events: [] });
  const others = [
    { ...approve, arguments: { amount: 5 } },
    { ...approve, scope: "project" as const, pattern: "pay" },
    { type: "deny", question: approve.question, by: "anna", msgId: "m8" } as const,
  ];
  for (const other of others) expect(decide(approved, other, rules())).toMatchObject({ refusal: { code: "msg_id_reused" } });
});

test("[D5] a message reopens a completed dialog", () => {
  const done = accepted(startedTree(), decide(startedTree(), verb("done"), rules()));
  const decision = decide(done, send("one more thing"), rules());
  expect(decision.ok && decision.events.map((event) => event.type)).toEqual(["dialog.reopened", "message.added"]);
  const reopened = accepted(done, decision);
  expect(mainDialog(reopened)?.status).toBe("running");
  expect(reopened.ready.size).toBe(1);
});

test("[D5] an archived dialog refuses messages", () => {
  const archived = accepted(startedTree(), decide(startedTree(), verb("archive"), rules()));
  expect(decide(archived, send("hello?"), rules())).toMatchObject({ refusal: { code: "archived" } });
});

test("[D8] only a stopped dialog can be resumed", () => {
  expect(decide(startedTree(), verb("resume"), rules())).toMatchObject({ refusal: { code: "not_stopped" } });
});

test("[D9] open calls get a result when the dialog is closed", () => {
  const asked = accepted(startedTree(), step(startedTree(), [callPart(1), callPart(2)]));
  const decision = decide(asked, verb("done"), rules());
  expect(decision.ok && decision.events).toMatchObject([
    { type: "call.ended", outcome: "refused" },
    { type: "call.ended", outcome: "refused" },
    { type: "turn.ended" },
    { type: "dialog.completed" },
  ]);
  expect(runOf(accepted(asked, decision), dialog, lead)?.turns).toEqual([]);
});

test("[D10] an unknown dialog is not found", () => {
  expect(decide(startedTree(), send("hi", { dialog: DialogId.parse("f".repeat(32)) }), rules())).toMatchObject({
    refusal: { code: "not_found" },
  });
});

test("[D14] repeating a stop or a close changes nothing", () => {
  const stopped = accepted(startedTree(), decide(startedTree(), verb("stop"), rules()));
  expect(decide(stopped, verb("stop"), rules())).toMatchObject({ ok: true, events: [] });
  const archived = accepted(stopped, decide(stopped, verb("archive"), rules()));
  expect(decide(archived, verb("archive"), rules())).toMatchObject({ ok: true, events: [] });
});
