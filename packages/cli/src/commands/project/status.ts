import { type Call, defineCommand } from "../../line/command.ts";
import { colourOf, DAMAGED, glyphs, type Listed, listed, type State, stateText } from "../../dialogs/dialog-state.ts";
import type { DialogEntry, ProjectAccess } from "../../access/project-access.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { shortId } from "../../dialogs/ids.ts";
import { type Asked, askedIn, nameOf } from "../../dialogs/inbox.ts";
import { costText } from "../../dialogs/money.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { dueText, questionGlyphs } from "../../terminal/question-card.ts";
import type { Screen } from "../../terminal/screen.ts";
import { type Column, table } from "../../terminal/table.ts";
import { ago } from "../../terminal/time.ts";
import { cut, widthOf } from "../../terminal/width.ts";

/** Ten lines in all: one above, one below, and these in between. */
const MAX_ROWS = 8;
const GAP = "    ";

export const status = defineCommand({
  words: [],
  options: {},
  about: {
    en: "The project in ten lines: questions for you, stalled dialogs, the latest words, and the next command.",
    zh: "用十行说明项目：等你答复的提问、停住的对话、最近的话，以及下一条命令。",
  },
  examples: [["colloquy", { en: "the same", zh: "与此相同" }]],

  run: (call) =>
    withProject(call, async (project) => {
      const entries = await project.dialogs();
      const asked = askedFirst(entries);
      const others = entries.filter((entry) => entry.status === "running" && entry.state !== "asking").toSorted(byNeed);
      const rows = [...asked.slice(0, MAX_ROWS), ...(await listed(project, others.slice(0, Math.max(0, MAX_ROWS - asked.length))))];
      print(call, summary(project, entries), () => drawn(call, project, entries, rows));
      return ExitCode.done;
    }),
});

/** A stopped main dialog says so itself, with the reason. */
const askedFirst = (entries: readonly DialogEntry[]): readonly Asked[] =>
  askedIn(entries).filter(({ kind, dialog, rootId }) => kind !== "fault" || (dialog as string) !== (rootId as string));

const needs: readonly State[] = ["interrupted", "stopped", "asking", "waiting", "working", "idle"];

/** Items that need a person come first, then the latest changes. */
function byNeed(a: DialogEntry, b: DialogEntry): number {
  const difference = needs.indexOf(a.state) - needs.indexOf(b.state);
  return difference === 0 ? Number(a.lastModified < b.lastModified) * 2 - 1 : difference;
}

function summary(project: ProjectAccess, entries: readonly DialogEntry[]) {
  const counts: Partial<Record<State, number>> = {};
  for (const entry of entries) counts[entry.state] = (counts[entry.state] ?? 0) + 1;
  const cost = entries.reduce((sum, entry) => sum + (entry.cost ?? 0), 0);
  const tokens = entries.reduce((sum, entry) => sum + (entry.tokens ?? 0), 0);
  const open = entries.filter((entry) => entry.status === "running").toSorted(byNeed);
  return {
    project: project.name,
    ...(project.dir !== undefined && { dir: project.dir }),
    counts,
    ...(cost > 0 && { cost }),
    tokens,
    questions: askedIn(entries),
    dialogs: open.slice(0, MAX_ROWS).map((entry) => entry),
  };
}

type Row = Asked | Listed;
const isAsked = (row: Row): row is Asked => "behind" in row;

function drawn({ shell }: Call, project: ProjectAccess, entries: readonly DialogEntry[], shown: readonly Row[]): string {
  const { out } = shell;
  const nowMs = shell.now();
  const columns: readonly Column<Row>[] = [
    {
      title: "",
      show: (row) => (isAsked(row) ? questionGlyphs[row.kind] : row.damaged === undefined ? glyphs[row.state] : DAMAGED),
      plain: null,
      colour: (row, text) => `  ${isAsked(row) ? out.colours.yellow(text) : colourOf(row.state, out.colours)(text)}`,
    },
    { title: "", show: (row) => shortId(isAsked(row) ? row.id : row.rootId) },
    { title: "", show: (row) => (isAsked(row) ? row.headline : row.title), shrinks: true },
    { title: "", show: (row) => (isAsked(row) ? nameOf(project, row.agent) : row.agent), plain: (row) => row.agent },
    {
      title: "",
      show: (row) => (isAsked(row) ? behindText(row, nowMs) : stateText(row, nowMs)),
      plain: (row) => (isAsked(row) ? row.kind : stateText(row, undefined)),
      shrinks: true,
    },
    {
      title: "",
      show: (row) => ago(isAsked(row) ? row.askedAt : row.lastModified, nowMs),
      plain: (row) => (isAsked(row) ? row.askedAt : row.lastModified),
      colour: (_, text) => out.colours.dim(text),
    },
  ];
  const rows = table({ ...out, columns: out.columns - 2 }, columns, shown);
  return out.isTerminal ? `${headText(out, project, entries)}\n${rows}${out.colours.dim(nextText(out.columns, shown))}\n` : rows;
}

/** What an open question blocks. */
const behindText = (asked: Asked, nowMs: number): string =>
  [
    ...(asked.behind > 0 ? [`${asked.behind} ${asked.behind === 1 ? "waits" : "wait"} behind it`] : []),
    ...dueText({ deadline: asked.deadline, otherwise: undefined }, nowMs),
  ].join(", ") || (asked.kind === "fault" ? "stopped" : "waits for you");

function headText({ colours, columns }: Screen, project: ProjectAccess, entries: readonly DialogEntry[]): string {
  const { counts, cost } = summary(project, entries);
  const questions = askedFirst(entries);
  const working = counts.working ? [`${counts.working} working`] : [];
  const states = (["interrupted", "stopped", "waiting", "idle", "done"] as const).flatMap((state) =>
    counts[state] ? [`${counts[state]} ${state}`] : [],
  );
  const asking = questions.length > 0 ? [`${questions.length} ${questions.length === 1 ? "waits" : "wait"} for you`] : [];
  const team = project.team.map(({ id }) => id);
  const stands = [
    project.name,
    [...working, ...asking, ...states].join(", ") || "no dialogs yet",
    ...(cost === undefined ? [] : [`${costText(cost)} $`]),
  ].join(" · ");
  const whole = `${stands} · ${project.url ?? `team: ${team.length > 0 ? team.join(", ") : "nobody yet"}`}`;
  return cut(widthOf(whole) > columns ? stands : whole, columns).replace(project.name, colours.bold);
}

/** The next commands, as many as fit. */
function nextText(columns: number, [first]: readonly Row[]): string {
  const commands = [...nextCommands(first), "all: colloquy help"];
  return commands.reduce(
    (line, command) => (line === "" ? command : line.length + GAP.length + command.length <= columns ? line + GAP + command : line),
    "",
  );
}

function nextCommands(first: Row | undefined): readonly string[] {
  if (!first) return ['start: colloquy new "…"', "the team: colloquy agents"];
  const look = `look: colloquy tree ${shortId(first.rootId)}`;
  if (isAsked(first)) {
    const id = shortId(first.id);
    if (first.kind === "approval") return [`approve: colloquy approve ${id}`, `deny: colloquy deny ${id}`, look];
    return [`answer: colloquy answer ${id}`, look];
  }
  const id = shortId(first.rootId);
  const state = first.state;
  if (first.damaged !== undefined) return [`repair: colloquy doctor ${id} --fix`, "all: colloquy doctor"];
  if (state === "interrupted") return [`continue: colloquy resume ${id}`, `look: colloquy show ${id}`];
  if (state === "stopped") return [`see why: colloquy show ${id}`, `continue: colloquy resume ${id}`];
  if (state === "waiting") return [look, `read: colloquy show ${id}`];
  return [`read: colloquy show ${id}`, `say more: colloquy send ${id} "…"`];
}
