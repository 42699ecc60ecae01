import type { ActClass, AutonomyConfig, CallEffects, CallPart, Permission } from "@colloquy/schema";
import { classifyCall, type ClassifyRules, type Finding } from "./classify.ts";
import { classifyEffects, touchedIn } from "./effects.ts";
import { permissionFor } from "./pattern.ts";

/** The settings for a call, of the project and of its task. */
export interface ActRules extends ClassifyRules {
  readonly autonomy: AutonomyConfig;
  readonly permissions: Readonly<Record<string, Permission>>;
}

export interface Verdict {
  readonly verdict: "allow" | "notify" | "ask" | "deny";
  readonly findings: readonly Finding[];
  /** The pattern that asks or forbids, if any. */
  readonly pattern: string | undefined;
  /** A permission allows it by name. */
  readonly isAllowed: boolean;
}

const STRICTER = ["allow", "notify", "ask", "deny"] as const;
const LEVELS = { automated: "allow", notify_and_proceed: "notify", requires_approval: "ask" } as const;

/** How a call is judged: before it runs by its words, or, if it runs on a layer and can touch nothing else, afterwards by what it did. */
export type Judging = "byWords" | "byEffects";

/**
 * Classes and permissions are combined, and the stricter wins. Nothing that a model says counts. `own`: the tool's class, if it has one.
 */
export function verdictOn(part: Pick<CallPart, "tool" | "input">, rules: ActRules, own?: ActClass, judging: Judging = "byWords"): Verdict {
  const read = judging === "byWords" ? classifyCall(part.tool, part.input, rules) : [];
  const findings = [...read, ...(own === undefined ? [] : [{ class: own, part: part.tool }])];
  return weighed(findings, permissionFor(rules.permissions, part, rules), rules);
}

/**
 * The verdict on what a command did. A file that `permissions` deny to the file tools is denied to commands too, even if only its time
 * changed (`retimed`). `touched`: see `classifyEffects`.
 */
export function verdictOnEffects(
  effects: CallEffects,
  rules: ActRules,
  touched: readonly string[] = touchedIn(effects),
  retimed: readonly string[] = [],
): Verdict {
  const ofFiles = Object.fromEntries(Object.entries(rules.permissions).filter(([pattern]) => /^(?:write_file|edit_file)\(/.test(pattern)));
  const isAsked = Object.keys(ofFiles).length > 0;
  const found = (isAsked ? [...touched, ...retimed] : []).flatMap((path) =>
    ["write_file", "edit_file"].flatMap((tool) => {
      // Effects read from a layer contain no links.
      const permission = permissionFor(ofFiles, { tool, input: { path } }, { dir: rules.dir });
      return permission && permission.permission !== "allow" ? [permission] : [];
    }),
  );
  const strictest = found.find(({ permission }) => permission === "deny") ?? found[0];
  return weighed(classifyEffects(effects, rules, touched), strictest, rules);
}

function weighed(findings: readonly Finding[], permission: ReturnType<typeof permissionFor>, rules: ActRules): Verdict {
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
