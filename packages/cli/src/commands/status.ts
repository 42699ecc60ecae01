import { basename } from "node:path";
import type { Entry, Project } from "@colloquy/library";
import { type Call, defineCommand } from "../command.ts";
import { colourOf, glyphs, type State, stateOf, stateText } from "../dialog-state.ts";
import { ExitCode } from "../exit-code.ts";
import { shortId } from "../ids.ts";
import { costText } from "../money.ts";
import { print } from "../output.ts";
import { withProject } from "../session.ts";
import type { Screen } from "../terminal/screen.ts";
import { type Column, table } from "../terminal/table.ts";
import { ago } from "../terminal/time.ts";

/** Ten lines in all: one above, one below, and these between them. */
const ROWS = 8;
const GAP = "    ";

export const status = defineCommand({
  words: [],
  options: {},
  about: "The project in ten lines: what stands still, what was said last, and the next command.",
  examples: [["colloquy", "the same"]],

  run: (call) =>
    withProject(call, async (project) => {
      const entries = project.dialogs();
      const open = entries.filter((entry) => entry.status === "running").toSorted(byNeed);
      print(call, summary(project, entries), () => drawn(call, project, entries, open));
      return ExitCode.done;
    }),
});

const needs: readonly State[] = ["interrupted", "stopped", "working", "resting"];

/** What needs somebody first, then what changed last. */
function byNeed(a: Entry, b: Entry): number {
  const difference = needs.indexOf(stateOf(a)) - needs.indexOf(stateOf(b));
  return difference === 0 ? Number(a.lastModified < b.lastModified) * 2 - 1 : difference;
}

function summary(project: Project, entries: readonly Entry[]) {
  const counts: Partial<Record<State, number>> = {};
  for (const entry of entries) counts[stateOf(entry)] = (counts[stateOf(entry)] ?? 0) + 1;
  const cost = entries.reduce((sum, entry) => sum + (entry.cost ?? 0), 0);
  const tokens = entries.reduce((sum, entry) => sum + (entry.tokens ?? 0), 0);
  const open = entries.filter((entry) => entry.status === "running").toSorted(byNeed);
  return {
    project: basename(project.dir),
    dir: project.dir,
    counts,
    ...(cost > 0 && { cost }),
    tokens,
    dialogs: open.slice(0, ROWS).map((entry) => ({ ...entry, state: stateOf(entry) })),
  };
}

function drawn({ shell }: Call, project: Project, entries: readonly Entry[], open: readonly Entry[]): string {
  const { out } = shell;
  const nowMs = shell.now();
  const columns: readonly Column<Entry>[] = [
    {
      title: "",
      show: (entry) => glyphs[stateOf(entry)],
      plain: null,
      colour: (entry, text) => `  ${colourOf(stateOf(entry), out.colours)(text)}`,
    },
    { title: "", show: (entry) => shortId(entry.rootId) },
    { title: "", show: (entry) => entry.title, shrinks: true },
    { title: "", show: (entry) => entry.agent },
    { title: "", show: stateText, shrinks: true },
    {
      title: "",
      show: (entry) => ago(entry.lastModified, nowMs),
      plain: (entry) => entry.lastModified,
      colour: (_, text) => out.colours.dim(text),
    },
  ];
  const rows = table({ ...out, columns: out.columns - 2 }, columns, open.slice(0, ROWS));
  return out.isTerminal ? `${headText(out, project, entries)}\n${rows}${out.colours.dim(nextText(out.columns, open))}\n` : rows;
}

function headText({ colours }: Screen, project: Project, entries: readonly Entry[]): string {
  const { counts, cost } = summary(project, entries);
  const states = (["interrupted", "stopped", "resting", "done"] as const).flatMap((state) =>
    counts[state] ? [`${counts[state]} ${state}`] : [],
  );
  const team = project.team.members().map((member) => member.id);
  return [
    colours.bold(basename(project.dir)),
    states.length > 0 ? states.join(", ") : "no dialogs yet",
    ...(cost === undefined ? [] : [`${costText(cost)} $`]),
    `team: ${team.length > 0 ? team.join(", ") : "nobody yet"}`,
  ].join(" · ");
}

/** The next commands, as many as there is room for. */
function nextText(columns: number, [first]: readonly Entry[]): string {
  const commands = [...nextCommands(first), "all: colloquy help"];
  return commands.reduce(
    (line, command) => (line === "" ? command : line.length + GAP.length + command.length <= columns ? line + GAP + command : line),
    "",
  );
}

function nextCommands(first: Entry | undefined): readonly string[] {
  if (!first) return ['start: colloquy new "…"', "the team: colloquy agents"];
  const id = shortId(first.rootId);
  const state = stateOf(first);
  if (state === "interrupted") return [`go on: colloquy resume ${id}`, `look: colloquy show ${id}`];
  if (state === "stopped") return [`see why: colloquy show ${id}`, `go on: colloquy resume ${id}`];
  return [`read: colloquy show ${id}`, `say more: colloquy send ${id} "…"`];
}
