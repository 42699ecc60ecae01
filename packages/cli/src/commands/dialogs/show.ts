import type { DialogView, Line, QuestionId, TreeEvent, UsageRow } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { Driving } from "../../access/driving.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { find, isMain, type DialogAddress } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { print, printJson, tell } from "../../line/output.ts";
import { library, withProject } from "../../dialogs/session.ts";
import { rememberShown } from "../../dialogs/shown-questions.ts";
import { headText } from "../../terminal/dialog-head.ts";
import { cardText } from "../../terminal/question-card.ts";
import { type Row, rowsOf, rowText } from "../../terminal/transcript.ts";
import { widest } from "../../terminal/width.ts";

const LAST_ROWS = 6;

export const show = defineCommand({
  words: ["DIALOG"],
  options: { all: { about: "every word, thinking included" }, follow: { about: "and new events while it works" } },
  about:
    "Reads a dialog: how it stands, what is open, and the last things said and done. In a pipe all of them, one a line: time, kind, " +
    "who, text. With --follow also new events, until it is idle. A question's id shows the question, whole.",
  examples: [
    ["colloquy show @", "the last dialog"],
    ["colloquy show 7f3a2c --all", "from the beginning, with the thinking"],
    ["colloquy show 4be1d0", "a question: what was asked, the choices, what was said about it"],
  ],

  async run(call) {
    const { values, words, json } = call;
    if (json && values.follow) throw wrongUsage("show --follow is for people. For programs: colloquy log --follow --json");
    return withProject(call, async (project) => {
      const { place, question } = await find(project, words[0] ?? "");
      if (question !== undefined) return showQuestion(call, project, question);
      const view = await project.view(place);
      const lines = await project.events(place.rootId);
      const rows = rowsOf(lines, place.selfId, view.unread);
      const usage = await usageOf(lines, place);
      if (json) printJson(call, { ...view, usage, transcript: rows });
      else write(call, view, usage, rows, values.all ?? false);
      return values.follow ? follow(call, project, place) : ExitCode.done;
    });
  },
});

async function showQuestion(call: Call, project: ProjectAccess, id: QuestionId): Promise<ExitCode> {
  const question = await project.question(id);
  const card = await cardOf(project, question);
  print(call, question, () => cardText(call.shell.out, card, call.shell.now()));
  await rememberShown(project, [question]);
  return ExitCode.done;
}

/** Of a main dialog what its whole tree has used, of a side dialog its own share. */
async function usageOf(lines: readonly Line<TreeEvent>[], place: DialogAddress): Promise<UsageRow> {
  const { emptyUsage, foldUsage } = await library();
  const rows = foldUsage(lines, (step) => (isMain(place) || step.dialog === place.selfId ? place.selfId : undefined));
  return rows.get(place.selfId) ?? emptyUsage(place.selfId);
}

function write({ shell }: Call, view: DialogView, usage: UsageRow, rows: readonly Row[], all: boolean): void {
  const { out } = shell;
  const nowMs = shell.now();
  const told = all || !out.isTerminal ? rows : rows.filter((row) => row.kind !== "thought");
  const shown = all || !out.isTerminal ? told : told.slice(-LAST_ROWS);
  if (out.isTerminal) {
    const rule = shown.length < rows.length ? `── last ${shown.length} of ${rows.length} (all: --all) ──` : "──";
    out.write(`${headText(out, view, usage, nowMs)}${out.colours.dim(rule)}\n`);
  }
  const whoColumns = widest(
    shown.map((row) => row.who),
    8,
  );
  const lastSaid = shown.findLastIndex((row) => row.kind === "said");
  shown.forEach((row, nth) => out.write(rowText(out, row, nowMs, whoColumns, !all && nth < shown.length - 1 && nth !== lastSaid)));
}

async function follow(call: Call, project: ProjectAccess, place: DialogAddress): Promise<ExitCode> {
  const { state, seq } = await project.view(place);
  if (state !== "working") {
    tell(call, "It is idle now.");
    return ExitCode.done;
  }
  const driving = new Driving(call, project, {});
  const left = await driving.untilQuiet([{ rootId: place.rootId, seq }]);
  driving.end();
  return left === undefined ? ExitCode.done : ExitCode.interrupted;
}
