import type { ActClass, AutonomyConfig, CallPart, Permission } from "@colloquy/schema";
import { classifyCall, type ClassifyRules, type Finding } from "./classify.ts";
import { permissionFor } from "./pattern.ts";

/** What is set for a call, in the project and for its task. */
export interface ActRules extends ClassifyRules {
  readonly autonomy: AutonomyConfig;
  readonly permissions: Readonly<Record<string, Permission>>;
}

export interface Verdict {
  readonly verdict: "allow" | "notify" | "ask" | "deny";
  readonly findings: readonly Finding[];
  /** The pattern that asks or forbids, if one does. */
  readonly pattern: string | undefined;
  /** A permission allows it by name. */
  readonly isAllowed: boolean;
}

const STRICTER = ["allow", "notify", "ask", "deny"] as const;
const LEVELS = { automated: "allow", notify_and_proceed: "notify", requires_approval: "ask" } as const;

/** Classes and permissions stand beside each other, and the stricter wins. Nothing that a model says is asked. `own`: the tool's class, if it has one. */
export function verdictOn(part: Pick<CallPart, "tool" | "input">, rules: ActRules, own?: ActClass): Verdict {
  const findings = [...classifyCall(part.tool, part.input, rules), ...(own === undefined ? [] : [{ class: own, part: part.tool }])];
  const permission = permissionFor(rules.permissions, part, rules.dir);
  const levels = [...findings.map((one) => levelOf(one.class, rules.autonomy)), permission?.permission ?? "allow"];
  const verdict = STRICTER.findLast((level) => levels.includes(level)) ?? "allow";
  return {
    verdict,
    findings,
    pattern: permission && permission.permission !== "allow" ? permission.pattern : undefined,
    isAllowed: permission?.permission === "allow",
  };
}

export const levelOf = (one: ActClass, autonomy: AutonomyConfig): "allow" | "notify" | "ask" =>
  one === "destructive" ? "ask" : LEVELS[autonomy[one]];
