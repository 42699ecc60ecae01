import type { DialogView, UsageRow } from "@colloquy/library";
import { colourOf, glyphs } from "../dialogs/dialog-state.ts";
import { costText, countText } from "../dialogs/money.ts";
import type { Screen } from "./screen.ts";
import { ago, clock, span } from "./time.ts";
import { oneLine } from "./visible.ts";
import { cut, padEnd, widthOf, wrap } from "./width.ts";

const short = (id: string): string => id.slice(-6);

/** A dialog's state: who, in what state, for whom, and what is open. */
export function headText(screen: Screen, view: DialogView, usage: UsageRow, nowMs: number): string {
  const { colours, columns } = screen;
  const state = colourOf(view.state, colours)(`${glyphs[view.state]} ${stateWords(view, nowMs)}`);
  const facts = factsOf(view, usage).join(" · ");
  const isBeside = widthOf(state) + 3 + widthOf(facts) <= columns;
  const lines = [
    ...titleLines(screen, view),
    ...(view.copied
      ? [
          colours.dim(
            `${view.copied.as === "fork" ? "fork of" : "imported, was"} ${short(view.copied.from)} at event ${view.copied.seq - 1}`,
          ),
        ]
      : []),
    ...(isBeside ? [`${state}   ${colours.dim(facts)}`] : [...wrap(state, columns), ...wrap(facts, columns).map(colours.dim)]),
    ...(view.stopped ? wrap(oneLine(view.stopped.message), columns) : []),
    ...(view.state === "interrupted" ? [`It was left in the middle of something. Resume: colloquy resume ${short(view.selfId)}`] : []),
    ...participantLines(view, nowMs, columns),
    ...openLines(view, nowMs, columns),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function titleLines({ colours, columns }: Screen, view: DialogView): readonly string[] {
  const right = short(view.selfId);
  const title = cut(oneLine(`${view.agentId} · ${view.title}`), columns - right.length - 2);
  const first = `${padEnd(colours.bold(title), columns - right.length - 2)}  ${right}`;
  if (view.supdialogId === undefined) return [first];
  const session = view.session === undefined ? "" : `, session ${view.agentId}!${view.session}`;
  const branch = view.branch === undefined ? "" : `, branch ${view.branch}`;
  const asker = view.askedBy === undefined ? short(view.supdialogId) : `${view.askedBy} (${short(view.supdialogId)})`;
  return [first, colours.dim(cut(`side dialog of ${asker}${session}${branch}`, columns))];
}

/** `waits for you since 12:04`, `waits for reviewer since …`, `idle since …` */
function stateWords(view: DialogView, nowMs: number): string {
  const since = (iso: string | undefined) => `since ${clock(iso ?? view.lastModified, nowMs)}`;
  if (view.state === "asking") return `waits for you ${since(view.questions[0]?.askedAt)}`;
  if (view.state === "waiting") {
    const names = [...new Set(view.pending.map(({ agentId }) => agentId))];
    return names.length > 0 ? `waits for ${names.join(", ")} ${since(view.pending[0]?.askedAt)}` : `waits ${since(undefined)}`;
  }
  if (view.state === "working") return view.currentTool === undefined ? "working" : `working: ${view.currentTool}`;
  return `${view.state} ${since(view.stopped?.at)}`;
}

function factsOf(view: DialogView, usage: UsageRow): readonly string[] {
  const cached = usage.cachedInput > 0 ? ` (${countText(usage.cachedInput)} cached)` : "";
  return [
    ...(view.phase === "chat" ? [] : [view.phase]),
    `course ${view.course}`,
    ...(view.context.share === undefined ? [] : [`context ${Math.round(100 * view.context.share)} %`]),
    !usage.cost ? "cost –" : `${costText(usage.cost)} $`,
    `${countText(usage.input + usage.output)} tokens${cached}`,
    `${span(view.workedMs)} of work`,
  ];
}

/** Its members, if more than one, and what each is doing; and its subject. */
function participantLines({ participants, summary }: DialogView, nowMs: number, columns: number): readonly string[] {
  const all = Object.entries(participants);
  const lines = all.map(([agent, { run, workedMs }]) => {
    const tool = run.currentTool === undefined ? "" : `: ${run.currentTool} (${ago(run.toolStartedAt ?? run.lastActivityAt, nowMs)})`;
    const does = { executing: "working", paused: "waiting", done: "idle" }[run.status];
    const queued = run.queuedInjections > 0 ? ` · ${run.queuedInjections} queued` : "";
    return `  ${agent} ${does}${tool}${queued} · ${span(workedMs)} of work`;
  });
  const about = summary === undefined ? [] : [`  summary: ${oneLine(summary)}`];
  return [...(all.length > 1 ? lines : []), ...about].map((line) => cut(line, columns));
}

/** Only non-empty parts. */
function openLines(view: DialogView, nowMs: number, columns: number): readonly string[] {
  const { reminders, pending, questions, queuedMessages, sessions } = view;
  if (reminders.length + pending.length + questions.length + queuedMessages + sessions.length === 0) return [];
  const counts = [
    `reminders ${reminders.length}`,
    `open asks ${pending.length}`,
    `questions ${questions.length}${questions.length > 0 ? ` (${questions.map(({ id }) => short(id)).join(", ")})` : ""}`,
    `queued messages ${queuedMessages}`,
  ];
  const details = [
    ...pending.map(
      ({ agentId, dialogId, headline, askedAt, queued }) =>
        `waits for ${agentId} (${short(dialogId)}) "${oneLine(headline)}" ${ago(askedAt, nowMs)}${queued ? ", in its queue" : ""}`,
    ),
    ...reminders.map(({ id, content }) => `reminder ${id}: ${oneLine(content)}`),
    ...(sessions.length > 0
      ? [
          `sessions: ${sessions.map(({ agentId, slug, dialogId, locked }) => `${agentId}!${slug} (${short(dialogId)}${locked ? ", busy" : ""})`).join(", ")}`,
        ]
      : []),
  ];
  return [...wrap(counts.join(" · "), columns), ...details.map((line) => cut(`  ${line}`, columns))];
}
