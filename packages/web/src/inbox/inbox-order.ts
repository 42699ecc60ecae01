import type { ProjectQuestion } from "@colloquy/react";

export type Order = "frees" | "oldest" | "newest" | "agent" | "dialog";

const HOUR_MS = 3_600_000;
const age = (a: ProjectQuestion, b: ProjectQuestion): number => Date.parse(a.askedAt) - Date.parse(b.askedAt);

/** By urgency: a deadline within the hour, then the number of waiting dialogs, then age. */
export function inOrder(questions: readonly ProjectQuestion[], order: Order, now: number): readonly ProjectQuestion[] {
  const isUrgent = ({ deadline }: ProjectQuestion) => deadline !== undefined && Date.parse(deadline) - now <= HOUR_MS;
  const compare: Record<Order, (a: ProjectQuestion, b: ProjectQuestion) => number> = {
    frees: (a, b) => Number(isUrgent(b)) - Number(isUrgent(a)) || b.waitingBehind - a.waitingBehind || age(a, b),
    oldest: age,
    newest: (a, b) => age(b, a),
    agent: (a, b) => a.agentId.localeCompare(b.agentId) || age(a, b),
    dialog: (a, b) => a.dialog.rootId.localeCompare(b.dialog.rootId) || age(a, b),
  };
  return questions.toSorted(compare[order]);
}

/** Groups questions of one dialog, and approvals of similar calls in one tree, into one row. */
export interface Bundle {
  readonly key: string;
  readonly questions: readonly [ProjectQuestion, ...ProjectQuestion[]];
}

export function bundles(questions: readonly ProjectQuestion[]): readonly Bundle[] {
  const rows = new Map<string, [ProjectQuestion, ...ProjectQuestion[]]>();
  for (const question of questions) {
    const key = bundleKey(question);
    const row = rows.get(key);
    if (row) row.push(question);
    else rows.set(key, [question]);
  }
  return [...rows].map(([key, all]) => ({ key, questions: all }));
}

function bundleKey({ kind, tool, classes = [], dialog }: ProjectQuestion): string {
  return kind === "approval" && tool !== undefined ? [dialog.rootId, tool, ...classes.toSorted()].join(" ") : dialog.selfId;
}

/** Questions of the row that can be decided the same way: same choices, or also approvals. */
export function alikeOf(question: ProjectQuestion, { questions }: Pick<Bundle, "questions">): readonly ProjectQuestion[] {
  const form = ({ kind, options, multiple, allowOther }: ProjectQuestion) =>
    JSON.stringify([kind, kind === "approval" ? "" : [options.map(({ label }) => label), multiple, allowOther]]);
  const isPlain = ({ fields = [], status }: ProjectQuestion) => fields.length === 0 && status === "open";
  return questions.filter((other) => other.id !== question.id && isPlain(other) && isPlain(question) && form(other) === form(question));
}

/**
 * The rows in their displayed order. Arrivals never move the selected row (U-S1): those that belong above it wait until the person
 * asks for them.
 */
export interface Standing {
  readonly keys: readonly string[];
  readonly waiting: readonly string[];
}

export function standing(before: Standing, sorted: readonly string[], selected: string | undefined): Standing {
  const present = new Set(sorted);
  const kept = before.keys.filter((key) => present.has(key));
  if (kept.length === 0 || selected === undefined || !kept.includes(selected)) return { keys: sorted, waiting: [] };
  const known = new Set(kept);
  const place = sorted.indexOf(selected);
  const fresh = sorted.filter((key) => !known.has(key));
  const above = fresh.filter((key) => sorted.indexOf(key) < place);
  const keys = [...kept];
  for (const key of fresh) {
    if (sorted.indexOf(key) < place) continue;
    // After the nearest row that sorts before it; never above the selected row.
    const neighbour = sorted.slice(0, sorted.indexOf(key)).findLast((other) => keys.includes(other));
    keys.splice(Math.max(keys.indexOf(neighbour ?? selected), keys.indexOf(selected)) + 1, 0, key);
  }
  return { keys, waiting: above };
}
