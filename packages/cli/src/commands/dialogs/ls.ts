import { type Call, defineCommand } from "../../line/command.ts";
import { colourOf, DAMAGED, glyphs, type Listed, listed, stateText } from "../../dialogs/dialog-state.ts";
import type { DialogEntry, ProjectAccess } from "../../access/project-access.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { shortId } from "../../dialogs/ids.ts";
import { costText } from "../../dialogs/money.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import type { Shell } from "../../line/shell.ts";
import { type Column, table } from "../../terminal/table.ts";
import { ago } from "../../terminal/time.ts";

/** Done dialogs fill the list up to here; open ones are cut only at a length that nobody would read. */
const MAX_ROWS_WITH_DONE = 10;
const MAX_ROWS = 50;

const STATUSES: Readonly<Record<string, (entry: DialogEntry) => boolean>> = {
  running: (entry) => entry.status === "running",
  idle: (entry) => entry.state === "idle",
  asking: (entry) => entry.questions !== undefined,
  waiting: (entry) => entry.state === "waiting",
  interrupted: (entry) => entry.state === "interrupted",
  stopped: (entry) => entry.state === "stopped",
  done: (entry) => entry.status === "completed",
  completed: (entry) => entry.status === "completed",
  archived: (entry) => entry.status === "archived",
};

export const ls = defineCommand({
  words: [],
  options: {
    status: {
      takes: "S",
      about: { en: `only these: ${Object.keys(STATUSES).join(", ")}`, zh: `只列出这些状态：${Object.keys(STATUSES).join("、")}` },
    },
    all: { about: { en: "all of them, including archived ones", zh: "全部列出，包括已归档的" } },
  },
  about: { en: "Lists the open dialogs, and the newest done ones, up to ten in all.", zh: "列出未完成的对话和最近完成的对话，最多十个。" },
  examples: [
    ["colloquy ls --status stopped", { en: "stalled dialogs, and why", zh: "停住的对话，以及原因" }],
    ["colloquy ls --status asking", { en: "what waits for a person", zh: "等人答复的" }],
    ["colloquy ls --all --json", { en: "everything, for a program", zh: "全部，供程序使用" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const { status, all = false } = call.values;
      const fits = status === undefined ? undefined : Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
      if (status !== undefined && !fits) throw wrongUsage(`--status takes one of ${Object.keys(STATUSES).join(", ")}, not "${status}".`);
      const entries = (await project.dialogs()).filter(fits ?? (() => true));
      const shown = all || fits ? entries.toSorted(byLastChange) : shortened(entries);
      await write(call, project, shown, entries);
      return ExitCode.done;
    }),
});

async function write(call: Call, project: ProjectAccess, shown: readonly DialogEntry[], entries: readonly DialogEntry[]): Promise<void> {
  const rows = await listed(project, shown);
  print(call, { dialogs: rows.map((entry) => entry) }, () => listing(call.shell, rows, entries));
}

const byLastChange = (a: DialogEntry, b: DialogEntry): number => (a.lastModified < b.lastModified ? 1 : -1);

function shortened(entries: readonly DialogEntry[]): readonly DialogEntry[] {
  const open = entries.filter((entry) => entry.status === "running").toSorted(byLastChange);
  const done = entries.filter((entry) => entry.status === "completed").toSorted(byLastChange);
  return [...open.slice(0, MAX_ROWS), ...done.slice(0, Math.max(0, MAX_ROWS_WITH_DONE - open.length))];
}

function listing(shell: Shell, shown: readonly Listed[], entries: readonly DialogEntry[]): string {
  const { out } = shell;
  if (shown.length === 0 && out.isTerminal)
    return entries.length === 0 ? 'No dialogs yet. Start one: colloquy new "…"\n' : "None of these. colloquy ls --all lists all.\n";
  const nowMs = shell.now();
  const columns: readonly Column<Listed>[] = [
    {
      title: "",
      show: (entry) => (entry.damaged === undefined ? glyphs[entry.state] : DAMAGED),
      plain: null,
      colour: (entry, text) => (entry.damaged === undefined ? colourOf(entry.state, out.colours) : out.colours.red)(text),
    },
    { title: "ID", show: (entry) => shortId(entry.rootId) },
    { title: "TITLE", show: (entry) => entry.title, shrinks: true },
    { title: "AGENT", show: (entry) => entry.agent },
    {
      title: "STATE",
      show: (entry) => stateText(entry, nowMs),
      plain: (entry) => stateText(entry, undefined),
      shrinks: true,
      colour: (entry, text) => (entry.damaged === undefined ? colourOf(entry.state, out.colours) : out.colours.red)(text),
    },
    { title: "COST", show: (entry) => costText(entry.cost), right: true },
    { title: "LAST", show: (entry) => ago(entry.lastModified, nowMs), plain: (entry) => entry.lastModified, right: true },
  ];
  const drawn = table(out, columns, shown);
  const more = moreText(shown, entries);
  return out.isTerminal && more !== "" ? `${drawn}${out.colours.dim(more)}\n` : drawn;
}

function moreText(shown: readonly DialogEntry[], entries: readonly DialogEntry[]): string {
  if (shown.length === entries.length) return "";
  const ids = new Set(shown.map(({ rootId }) => rootId));
  const hidden = entries.filter(({ rootId }) => !ids.has(rootId));
  const count = (status: DialogEntry["status"], word: string) => {
    const number = hidden.filter((entry) => entry.status === status).length;
    return number > 0 ? [`${number} more ${word}`] : [];
  };
  return `${shown.length} shown, ${[...count("running", "open"), ...count("completed", "done"), ...count("archived", "archived")].join(", ")} (--all)`;
}
