import {
  type Call,
  type CallRef,
  type CallResult,
  type Card,
  decideCallEnd,
  decideCallRan,
  judgeEffects,
  mayBegin,
  type RanCall,
  type StagedRun,
  type Verdict,
  verdictOn,
} from "@colloquy/core";
import type { CallPart } from "@colloquy/schema";
import { callCard, classesOf, reasonFor } from "./call-card.ts";
import { approvalOf, endRefused } from "./approved-in-vain.ts";
import type { RunContext } from "../engine/run-context.ts";
import type { LayerStore, StagedOutput, TouchedPaths } from "./tool.ts";

/** A call whose tool runs on a layer. */
export interface StagedCall {
  readonly context: RunContext;
  readonly at: CallRef;
  readonly call: Call;
  readonly part: CallPart;
  readonly staging: LayerStore;
}

/** After it has run on its layer: judges its effects and records the verdict before anything happens to them. */
export async function judgeRan(staged: StagedCall, ran: RanCall, { shown, touched }: StagedOutput): Promise<void> {
  const { context, at } = staged;
  const { rulebook } = context;
  const verdict = await verdictNow(staged, ran, touched);
  if (verdict.verdict === "deny") return refuse(staged, ran, rulebook.texts().notAppliedByRule(verdict.pattern ?? staged.call.tool));
  const asks = verdict.verdict === "ask" && !isAllowed(staged);
  const judgement = await judgementOn(staged, verdict, asks, shown);
  const recorded = await context.record((state) => decideCallRan(state, at, { ran, ...judgement }, rulebook.rules()));
  // Its turn was given up while it ran.
  if (!recorded.ok) return staged.staging.discard(staged.call.id, context.deps.dir);
  // If it asks, an approval or a grant releases it later, including a grant given at this moment.
  if (!asks && mayBegin(context.tree.state, at)) await applyRan(staged, ran, touched);
}

/** Applies its layer, perhaps in a process that didn't run it. Judges it again: settings may have become stricter meanwhile. */
export async function applyRan(staged: StagedCall, ran: RanCall, known?: TouchedPaths): Promise<void> {
  const { context, call, staging } = staged;
  const { dir } = context.deps;
  const texts = context.rulebook.texts();
  const { verdict, pattern } = await verdictNow(staged, ran, known ?? (await staging.touched?.(call.id, dir)));
  if (verdict === "deny") return refuse(staged, ran, texts.notAppliedByRule(pattern ?? call.tool));
  if (verdict === "ask" && !isAllowed(staged)) return refuse(staged, ran, texts.notAppliedUnapproved);
  const { conflicts, notes } = await staging.apply(call.id, dir);
  if (conflicts.length > 0) return refuse(staged, ran, texts.notApplied(conflicts));
  await end(staged, { ...outputOf(ran), output: [changed(staged), ...notes, ran.output].filter((line) => line !== "").join("\n") });
}

/** Judges the call and its effects by the current settings. The stricter verdict counts. */
async function verdictNow({ context, part }: StagedCall, { effects }: RanCall, touched: TouchedPaths | undefined): Promise<Verdict> {
  const rules = context.rulebook.actRules(context.tree.state);
  const onEffects = await inParts(judgeEffects(effects, rules, touched?.changed, touched?.retimed));
  const onCall = verdictOn(part, rules, undefined, "byEffects");
  return onCall.verdict === "deny" || (onCall.verdict === "ask" && onEffects.verdict !== "deny" && onEffects.verdict !== "ask")
    ? { ...onCall, findings: onEffects.findings }
    : onEffects;
}

/** Lets everything else in this process run between the parts. */
async function inParts<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Approved by a person's decision on this call, or on similar ones. */
function isAllowed({ context, call, part }: StagedCall): boolean {
  return approvalOf(context.tree, call) !== undefined || context.rulebook.grantFor(context.tree.state, context.ref, part) !== undefined;
}

async function judgementOn(staged: StagedCall, verdict: Verdict, asks: boolean, shown: string): Promise<Omit<StagedRun, "ran">> {
  if (!asks && verdict.verdict !== "notify") return {};
  const { context, part } = staged;
  const texts = context.rulebook.texts();
  const plain = await callCard(context, { tree: context.tree.state, ref: context.ref, part }, reasonFor(verdict, texts));
  const card: Card = { ...plain, text: [plain.text, asks ? `${texts.whatItDid}\n${shown}` : shown].join("\n\n") };
  if (asks) return { approval: { ...card, classes: classesOf(verdict) } };
  return { notice: { ...card, class: verdict.findings[0]?.class ?? "scopeChanges" } };
}

/** The project is unchanged. The agent still reads the command's output. */
async function refuse(staged: StagedCall, ran: RanCall, why: string): Promise<void> {
  await endRefused(staged, { ...outputOf(ran), outcome: "refused", output: `${why}\n${ran.output}` }, why);
}

const outputOf = ({ blob, files }: RanCall): Pick<CallResult, "blob" | "files"> => ({ ...(blob && { blob }), ...(files && { files }) });

const changed = ({ context, call, part }: StagedCall): string =>
  call.isChanged ? `${context.rulebook.texts().approvedWithChanges}${JSON.stringify(part.input)}` : "";

async function end({ context, at }: StagedCall, result: CallResult): Promise<void> {
  const { deps, rulebook } = context;
  await context.record((tree) => decideCallEnd(tree, at, { result, question: deps.newId() }, rulebook.rules()));
}
