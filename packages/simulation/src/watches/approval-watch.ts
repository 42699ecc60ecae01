import { matches } from "@colloquy/core";
import { type CallPart, type DialogId, isCall, type ProjectEvent, type RootId, type TreeEvent } from "@colloquy/schema";
import { demand } from "../broken.ts";

/** How long before its log entry a call may have been judged: a disk may be slow. */
const SLACK_MS = 60_000;

interface Made {
  readonly part: CallPart;
  readonly rootId: RootId;
  readonly dialog: DialogId;
  readonly atMs: number;
}

interface Grant {
  readonly pattern: string;
  readonly rootId: RootId | undefined;
  readonly dialog: DialogId | undefined;
  readonly fromMs: number;
  endMs: number;
}

/** Approvals by people, read from the log. */
export class ApprovalWatch {
  readonly #made = new Map<string, Made>();
  readonly #startedMs = new Map<string, number>();
  /** By call, with the approved input. */
  readonly #approved = new Map<string, unknown>();
  readonly #grants = new Map<string, Grant>();

  hear(rootId: RootId, event: TreeEvent, atMs: number): void {
    if (event.type === "step.ended")
      for (const part of event.parts) if (isCall(part)) this.#made.set(part.call, { part, rootId, dialog: event.dialog, atMs });
    if (event.type === "call.started") this.#startedMs.set(event.call, atMs);
    // An approval is named by its call.
    if (event.type === "question.closed" && event.verdict === "approved")
      this.#approved.set(event.question, event.arguments ?? this.#made.get(event.question)?.part.input);
  }

  hearProject(event: ProjectEvent, atMs: number): void {
    if (event.type === "grant.given") {
      const { pattern, rootId, dialog, until = Infinity } = event;
      this.#grants.set(event.grant, { pattern, rootId, dialog, fromMs: atMs, endMs: until });
    }
    const revoked = event.type === "grant.revoked" ? this.#grants.get(event.grant) : undefined;
    if (revoked) revoked.endMs = Math.min(revoked.endMs, atMs);
  }

  /** Call when a call that needs approval takes effect. */
  demandApproved(call: string, input: unknown): void {
    const made = this.#made.get(call);
    if (this.#approved.has(call)) {
      const [said, is] = [this.#approved.get(call), input].map((one) => JSON.stringify(one));
      return demand(said === is, "SI16", () => `the call ${call} was approved with ${said}, and ran with ${is}`);
    }
    demand(made && this.#isGranted(made), "SI16", () => `the call ${call} ran, and nobody has approved it or the like`);
  }

  #isGranted({ part, rootId, dialog, atMs }: Made): boolean {
    const untilMs = this.#startedMs.get(part.call) ?? atMs;
    return [...this.#grants.values()].some(
      (grant) =>
        (grant.rootId === undefined || grant.rootId === rootId) &&
        (grant.dialog === undefined || grant.dialog === dialog) &&
        grant.fromMs <= untilMs &&
        grant.endMs >= atMs - SLACK_MS &&
        matches(grant.pattern, part),
    );
  }
}
