import type { DialogView, Project, RootId } from "@colloquy/library";
import { type Call, defineCommand } from "../command.ts";
import { colourOf, glyphs } from "../dialog-state.ts";
import { Driving } from "../driving.ts";
import { ExitCode } from "../exit-code.ts";
import { wrongUsage } from "../failure.ts";
import { findDialog, shortId } from "../ids.ts";
import { costText, countText } from "../money.ts";
import { printJson, tell } from "../output.ts";
import { withProject } from "../session.ts";
import type { Screen } from "../terminal/screen.ts";
import { clock, span } from "../terminal/time.ts";
import { type Row, rowsOf, rowText } from "../terminal/transcript.ts";
import { oneLine } from "../terminal/visible.ts";
import { cut, padEnd, widest } from "../terminal/width.ts";

const LAST_ROWS = 6;

export const show = defineCommand({
  words: ["DIALOG"],
  options: { all: { about: "every word, thinking included" }, follow: { about: "and what comes, while it is at work" } },
  about:
    "Reads a dialog: how it stands, and the last things said and done. In a pipe all of them, one a line: time, kind, who, text. " +
    "With --follow also what comes, until nobody is at work in it.",
  examples: [
    ["colloquy show @", "the last dialog"],
    ["colloquy show 7f3a2c --all", "from the beginning, with the thinking"],
  ],

  async run(call) {
    const { values, words, json } = call;
    if (json && values.follow) throw wrongUsage("show --follow is for people. For programs: colloquy log --follow --json");
    return withProject(call, async (project) => {
      const rootId = await findDialog(project, words[0] ?? "");
      const view = await project.view(rootId);
      const rows = rowsOf(await project.events(rootId), unreadIn(view));
      if (json) printJson(call, { ...view, transcript: rows });
      else write(call, view, rows, values.all ?? false);
      if (!values.follow) return ExitCode.done;
      return follow(call, project, rootId);
    });
  },
});

const unreadIn = (view: DialogView): number =>
  Object.values(view.participants).reduce((sum, { run }) => Math.max(sum, run.queuedInjections), 0);

function write({ shell }: Call, view: DialogView, rows: readonly Row[], all: boolean): void {
  const { out } = shell;
  const nowMs = shell.now();
  const told = all || !out.isTerminal ? rows : rows.filter((row) => row.kind !== "thought");
  const shown = all || !out.isTerminal ? told : told.slice(-LAST_ROWS);
  if (out.isTerminal) out.write(headText(out, view, nowMs, shown.length, rows.length));
  const whoColumns = widest(
    shown.map((row) => row.who),
    8,
  );
  const lastSaid = shown.findLastIndex((row) => row.kind === "said");
  shown.forEach((row, nth) => out.write(rowText(out, row, nowMs, whoColumns, !all && nth < shown.length - 1 && nth !== lastSaid)));
}

function headText(screen: Screen, view: DialogView, nowMs: number, shown: number, total: number): string {
  const { colours, columns } = screen;
  const id = shortId(view.rootId);
  const title = cut(oneLine(`${view.agentId} · ${view.title}`), columns - id.length - 2);
  const state = colourOf(
    view.state,
    colours,
  )(`${glyphs[view.state]} ${view.state} since ${clock(view.stopped?.at ?? view.lastModified, nowMs)}`);
  const facts = [
    `course ${view.course}`,
    view.usage.cost === undefined ? "cost –" : `${costText(view.usage.cost)} $`,
    `${countText(view.usage.tokens)} tokens`,
    `${span(view.workedMs)} of work`,
  ];
  const reason = view.stopped ? `${oneLine(view.stopped.message)}\n` : "";
  const goOn = view.state === "interrupted" ? `It was left in the middle of something. Go on: colloquy resume ${id}\n` : "";
  const rule = shown < total ? `── last ${shown} of ${total} (all: --all) ──` : "──";
  return `${padEnd(colours.bold(title), columns - id.length - 2)}  ${id}\n${state}   ${colours.dim(facts.join(" · "))}\n${reason}${goOn}${colours.dim(rule)}\n`;
}

async function follow(call: Call, project: Project, rootId: RootId): Promise<ExitCode> {
  const { state } = await project.view(rootId);
  if (state !== "working") {
    tell(call, "Nobody is at work in it now.");
    return ExitCode.done;
  }
  const left = await new Driving(call, project, {}).untilQuiet([rootId]);
  return left === undefined ? ExitCode.done : ExitCode.interrupted;
}
