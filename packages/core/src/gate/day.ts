import type { AgentId, DialogId, ProjectEvent, QuestionId, TreeEvent } from "@colloquy/schema";
import { accept, type Decision } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import { limitQuestion } from "./limit.ts";
import { iso } from "../texts/time.ts";
import type { TreeCommit } from "../state/tree-commit.ts";
import type { Tree } from "../state/tree.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the project spent on one day, and what a person decided about it. Folded from the project's stream. */
export interface Day {
  /** UTC, so that every machine means the same day. */
  readonly date: string;
  readonly cost: number;
  /** What people added to the limit for this day. */
  readonly raised: number;
  /** The open question, in the tree that reached the limit first. */
  readonly question: QuestionId | undefined;
  /** A person said: no more today. */
  readonly isOver: boolean;
}

type DayEvent = Extract<ProjectEvent, { type: "day.spent" | "day.asked" | "day.decided" }>;

const dateOf = (at: number): string => iso(at).slice(0, 10);
export const endOfDay = (at: number): number => (Math.floor(at / DAY_MS) + 1) * DAY_MS;

export function changeDay(before: Day | undefined, event: DayEvent): Day {
  // A decision about yesterday, made just after midnight, changes nothing.
  if (before && event.date < before.date) return before;
  const day = before?.date === event.date ? before : { date: event.date, cost: 0, raised: 0, question: undefined, isOver: false };
  switch (event.type) {
    case "day.spent":
      return { ...day, cost: day.cost + event.cost };
    case "day.asked":
      return { ...day, question: event.question };
    case "day.decided":
      return { ...day, question: undefined, raised: day.raised + (event.more ?? 0), isOver: event.isOver ?? false };
  }
}

/** May a step be taken today? `ask`: a person must be asked first. `wait`: one was asked, or said no. */
export function dayGate(day: Day | undefined, limit: number | undefined, at: number): "open" | "ask" | "wait" {
  if (limit === undefined || day?.date !== dateOf(at) || day.cost < limit + day.raised) return "open";
  return day.question === undefined && !day.isOver ? "ask" : "wait";
}

/** The run that reached the day's limit, and the id of the question about it. */
interface DayAsker {
  readonly dialog: DialogId;
  readonly agent: AgentId;
  readonly question: string;
}

/** One question for the whole project. It expires with the day. */
export function decideDayQuestion(tree: Tree, at: DayAsker, day: Day | undefined, rules: Rules): Decision<TreeEvent> {
  const { costPerDay } = rules.limits;
  if (costPerDay === undefined || !day || dayGate(day, costPerDay, rules.at) !== "ask") return accept(tree.seq, []);
  const draft = new Draft(tree, rules.at);
  const reached = { limit: "costPerDay", used: day.cost, allowed: costPerDay + day.raised } as const;
  draft.ask(
    { dialog: at.dialog, agent: at.agent },
    {
      id: at.question,
      kind: "limit",
      limit: "costPerDay",
      ...limitQuestion(draft.dialog(at.dialog).title, reached, rules.texts),
      deadline: endOfDay(rules.at),
      source: "dialog",
      sourceId: at.dialog,
    },
  );
  return draft.decision();
}

/** What a commit of a tree means for the day. `isCounted`: the day has a limit. */
export function dayEvents({ before, events, at }: Omit<TreeCommit, "after">, isCounted: boolean): ProjectEvent[] {
  const { rootId } = before;
  return events.flatMap((event): ProjectEvent[] => {
    if ("cost" in event) return isCounted && event.cost ? [{ type: "day.spent", date: dateOf(at), cost: event.cost }] : [];
    if (event.type === "question.asked")
      return event.limit === "costPerDay" ? [{ type: "day.asked", date: dateOf(at), rootId, question: event.question }] : [];
    if (event.type !== "question.closed") return [];
    const question = before.questions.get(event.question);
    if (question?.limit !== "costPerDay") return [];
    const asked = dateOf(question.askedAt);
    const isOver = event.as === "answered" && event.more === undefined;
    return [
      {
        type: "day.decided",
        date: asked,
        question: event.question,
        ...(event.more !== undefined && { more: event.more }),
        ...(isOver && { isOver }),
      },
    ];
  });
}
