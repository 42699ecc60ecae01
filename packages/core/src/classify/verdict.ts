import { type ActClass, type AutonomyConfig, type CallEffects, type CallPart, isTaskTool, type Permission } from "@colloquy/schema";
import { classifyCall, type ClassifyRules, type Finding, withRealPatterns } from "./classify.ts";
import { classedPaths, classifyEffects, touchedIn } from "./effects.ts";
import { fitsGlob, patternsMeant, plainPath } from "./path.ts";
import { permissionFor, readPattern } from "./pattern.ts";

/** The settings that apply to a call, from the project and from its task. */
export interface ActRules extends ClassifyRules {
  readonly autonomy: AutonomyConfig;
  readonly permissions: Readonly<Record<string, Permission>>;
  /** The tree is a what-if: every effect waits for approval. */
  readonly holds?: boolean | undefined;
}

export interface Verdict {
  readonly verdict: "allow" | "notify" | "ask" | "deny";
  readonly findings: readonly Finding[];
  /** The pattern that asks or forbids, if there is one. */
  readonly pattern: string | undefined;
  /** A permission explicitly allows it. */
  readonly isAllowed: boolean;
  /** It asks only because the tree is a what-if. */
  readonly isHeld?: boolean;
}

const STRICTER = ["allow", "notify", "ask", "deny"] as const;
const LEVELS = { automated: "allow", notify_and_proceed: "notify", requires_approval: "ask" } as const;

/** How a call is judged: by its words before it runs or, if it runs on a layer and can touch nothing else, by its effects afterwards. */
export type Judging = "byWords" | "byEffects";

/** Combines classes and permissions; the stricter one wins. Nothing a model says counts. `own`: the tool's class, if it has one. */
export function verdictOn(
  part: Pick<CallPart, "tool" | "input"> & Partial<Pick<CallPart, "kind">>,
  rules: ActRules,
  own?: ActClass,
  judging: Judging = "byWords",
): Verdict {
  const read = judging === "byWords" ? classifyCall(part.tool, part.input, rules) : [];
  const findings = [...read, ...(own === undefined ? [] : [{ class: own, part: part.tool }])];
  const verdict = weighed(findings, permissionFor(rules.permissions, part, rules), rules);
  const hasEffect = judging === "byWords" && (part.kind === "effects" || isTaskTool(part.tool));
  return hasEffect ? heldBack(verdict, rules) : verdict;
}

const heldBack = (verdict: Verdict, { holds = false }: ActRules): Verdict =>
  holds && verdict.verdict !== "ask" && verdict.verdict !== "deny" ? { ...verdict, verdict: "ask", isHeld: true } : verdict;

/** Paths judged between two pauses: a few milliseconds with dozens of patterns. */
const PATHS_PER_PART = 100;

/**
 * The verdict on a command's effects. A file that `permissions` deny to the file tools is denied to commands as well, even if only its time
 * changed (`retimed`). `touched`: every path the command changed, because `effects` may name only folders or the first files.
 */
export function verdictOnEffects(
  effects: CallEffects,
  rules: ActRules,
  touched: readonly string[] = touchedIn(effects),
  retimed: readonly string[] = [],
): Verdict {
  const judging = judgeEffects(effects, rules, touched, retimed);
  for (;;) {
    const { done, value } = judging.next();
    if (done) return value;
  }
}

/** The same in parts, with pauses between them: hundreds of thousands of paths take seconds. */
export function* judgeEffects(
  effects: CallEffects,
  rules: ActRules,
  touched: readonly string[] = touchedIn(effects),
  retimed: readonly string[] = [],
): Generator<void, Verdict> {
  const ofFiles = rulesOnFiles(rules);
  const meant = withRealPatterns(rules);
  const manifests: string[] = [];
  const architecture: string[] = [];
  let strictest: FileRule | undefined;
  const all = ofFiles.length > 0 ? touched.length + retimed.length : touched.length;
  for (let from = 0; from < all; from += PATHS_PER_PART) {
    if (from > 0) yield;
    const part = ofFiles.length > 0 ? partOf(touched, retimed, from).map((path) => plainPath(path, ".", rules.dir)) : [];
    const found = classedPaths(touched.slice(from, from + PATHS_PER_PART), meant);
    manifests.push(...found.manifests);
    architecture.push(...found.architecture);
    const stricter = ofFiles.filter(
      ({ permission }) => strictest === undefined || (permission === "deny" && strictest.permission === "ask"),
    );
    const hits = stricter.filter(({ meant: patterns }) => part.some((path) => patterns.some((one) => fitsGlob(one, path))));
    strictest = hits.find(({ permission }) => permission === "deny") ?? strictest ?? hits[0];
  }
  const verdict = weighed(classifyEffects(effects, { manifests, architecture }), strictest, rules);
  return touched.length > 0 ? heldBack(verdict, rules) : verdict;
}

function partOf(touched: readonly string[], retimed: readonly string[], from: number): readonly string[] {
  const to = from + PATHS_PER_PART;
  return [...touched.slice(from, to), ...retimed.slice(Math.max(0, from - touched.length), Math.max(0, to - touched.length))];
}

interface FileRule {
  readonly permission: Permission;
  readonly pattern: string;
  /** The pattern's argument, as written and by its real path. */
  readonly meant: readonly string[];
}

/** What asks or denies for paths of the file tools. Effects read from a layer contain no links, so a path has one name. */
const rulesOnFiles = (rules: ActRules): readonly FileRule[] =>
  Object.entries(rules.permissions).flatMap(([pattern, permission]) => {
    const { tool, argument } = readPattern(pattern);
    const isOnFiles = tool === "write_file" || tool === "edit_file";
    return isOnFiles && argument !== undefined && permission !== "allow"
      ? [{ permission, pattern, meant: patternsMeant(argument, rules) }]
      : [];
  });

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

const levelOf = (one: ActClass, autonomy: AutonomyConfig): "allow" | "notify" | "ask" =>
  one === "destructive" ? "ask" : LEVELS[autonomy[one]];
