import {
  type Call,
  type CallRef,
  type CallResult,
  type Card,
  decideCallEnd,
  decideCallRan,
  type Judgement,
  mayBegin,
  type RanCall,
  type Verdict,
  verdictOn,
  verdictOnEffects,
} from "@colloquy/core";
import type { CallPart } from "@colloquy/schema";
import { callCard, classesOf, reasonFor } from "./call-card.ts";
import type { Engine } from "../engine/engine.ts";
import type { LiveTree } from "../engine/live-tree.ts";
import type { RunRef } from "../engine/run-ref.ts";
import type { LayerStore, StagedOutput, TouchedPaths } from "./tool.ts";

/** A call whose tool runs on a layer. */
export interface StagedCall {
  readonly engine: Engine;
  readonly tree: LiveTree;
  readonly ref: RunRef;
  readonly at: CallRef;
  readonly call: Call;
  readonly part: CallPart;
  readonly staging: LayerStore;
}

/** It has run on its layer: what it did is judged, which is recorded before anything comes of it. */
export async function judgeRan(staged: StagedCall, ran: RanCall, { shown, touched }: StagedOutput): Promise<void> {
  const { engine, tree, ref, at } = staged;
  const verdict = verdictNow(staged, ran, touched);
  if (verdict.verdict === "deny") return refuse(staged, ran, engine.rulebook.texts().notAppliedByRule(verdict.pattern ?? staged.call.tool));
  const asks = verdict.verdict === "ask" && !isAllowed(staged);
  const judgement = await judgementOn(staged, verdict, asks, shown);
  const recorded = await engine.writer.record(ref.rootId, (state) => decideCallRan(state, at, ran, judgement, engine.rulebook.rules()));
  // Its turn was given up while it ran.
  if (!recorded.ok) return staged.staging.discard(staged.call.id, engine.deps.dir);
  // Who was granted the like in this very moment need not wait: the grant closes the approval.
  if (!asks && mayBegin(tree.state, at)) await applyRan(staged, ran, touched);
}

/** Nothing stands in its way any more, also in a process that did not run it. Settings may have become stricter meanwhile. */
export async function applyRan(staged: StagedCall, ran: RanCall, known?: TouchedPaths): Promise<void> {
  const { engine, call, staging } = staged;
  const texts = engine.rulebook.texts();
  const { verdict, pattern } = verdictNow(staged, ran, known ?? (await staging.touched?.(call.id, engine.deps.dir)));
  if (verdict === "deny") return refuse(staged, ran, texts.notAppliedByRule(pattern ?? call.tool));
  if (verdict === "ask" && !isAllowed(staged)) return refuse(staged, ran, texts.notAppliedUnapproved);
  const { conflicts, notes } = await staging.apply(call.id, engine.deps.dir);
  if (conflicts.length > 0) return refuse(staged, ran, texts.notApplied(conflicts));
  await end(staged, { ...outputOf(ran), output: [changed(staged), ...notes, ran.output].filter((line) => line !== "").join("\n") });
}

/** By the settings of this moment: on the call itself, and on what it did. The stricter counts. */
function verdictNow({ engine, tree, part }: StagedCall, { effects }: RanCall, touched: TouchedPaths | undefined): Verdict {
  const rules = engine.rulebook.actRules(tree.state);
  const onEffects = verdictOnEffects(effects, rules, touched?.changed, touched?.retimed);
  const onCall = verdictOn(part, rules, undefined, "byEffects");
  return onCall.verdict === "deny" || (onCall.verdict === "ask" && onEffects.verdict !== "deny" && onEffects.verdict !== "ask")
    ? { ...onCall, findings: onEffects.findings }
    : onEffects;
}

/** By a person's word on this very call, or on calls like it. */
function isAllowed({ engine, tree, ref, call, part }: StagedCall): boolean {
  const approval = tree.state.questions.get(call.id);
  if (approval?.kind === "approval" && approval.status === "answered") return true;
  return engine.rulebook.grantFor(ref, part) !== undefined;
}

async function judgementOn(staged: StagedCall, verdict: Verdict, asks: boolean, shown: string): Promise<Judgement> {
  if (!asks && verdict.verdict !== "notify") return {};
  const { engine, tree, ref, part } = staged;
  const texts = engine.rulebook.texts();
  const plain = await callCard(engine.deps, tree.state, ref, part, reasonFor(verdict, texts), texts);
  const card: Card = { ...plain, text: [plain.text, asks ? `${texts.whatItDid}\n${shown}` : shown].join("\n\n") };
  if (asks) return { approval: { ...card, classes: classesOf(verdict) } };
  return { notice: { ...card, class: verdict.findings[0]?.class ?? "scopeChanges" } };
}

/** The project is as it was. The agent reads what its command said all the same. */
async function refuse(staged: StagedCall, ran: RanCall, why: string): Promise<void> {
  await end(staged, { ...outputOf(ran), outcome: "refused", output: `${why}\n${ran.output}` });
}

const outputOf = ({ blob, files }: RanCall): Pick<CallResult, "blob" | "files"> => ({ ...(blob && { blob }), ...(files && { files }) });

const changed = ({ engine, call, part }: StagedCall): string =>
  call.isChanged ? `${engine.rulebook.texts().approvedWithChanges}${JSON.stringify(part.input)}` : "";

async function end({ engine, ref, at }: StagedCall, result: CallResult): Promise<void> {
  await engine.writer.record(ref.rootId, (tree) => decideCallEnd(tree, at, result, engine.deps.newId(), engine.rulebook.rules()));
}
