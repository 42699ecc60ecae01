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
  options: {
    all: { about: { en: "every word, thinking included", zh: "每一句话，包括思考" } },
    follow: { about: { en: "and new events while it works", zh: "工作期间的新事件也一并显示" } },
  },
  about: {
    en:
      "Shows a dialog: its state, what is open, and the latest messages and calls. In a pipe all of them, one per line: time, kind, " +
      "who, text. With --follow also new events, until it is idle. A question's id shows the whole question.",
    zh: "显示一个对话：状态、未结事项，以及最近的消息和调用。在管道中全部输出，每行一条：时间、种类、何人、内容。加 --follow 则继续显示新事件，直到对话空闲。给出提问的 id，则完整显示该提问。",
  },
  examples: [
    ["colloquy show @", { en: "the last dialog", zh: "上一个对话" }],
    ["colloquy show 7f3a2c --all", { en: "from the beginning, with the thinking", zh: "从头开始，连同思考" }],
    ["colloquy show 4be1d0", { en: "a question: its text, choices and thread", zh: "一个提问：问了什么、有哪些选项、就它说过什么" }],
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
      else write(call, { view, usage, rows }, values.all ?? false);
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

/** A main dialog's usage includes its whole tree; a side dialog's is its own. */
async function usageOf(lines: readonly Line<TreeEvent>[], place: DialogAddress): Promise<UsageRow> {
  const { emptyUsage, foldUsage } = await library();
  const rows = foldUsage(lines, (step) => (isMain(place) || step.dialog === place.selfId ? place.selfId : undefined));
  return rows.get(place.selfId) ?? emptyUsage(place.selfId);
}

interface ShownDialog {
  readonly view: DialogView;
  readonly usage: UsageRow;
  readonly rows: readonly Row[];
}

function write({ shell }: Call, { view, usage, rows }: ShownDialog, all: boolean): void {
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
  shown.forEach((row, nth) => {
    const isFolded = !all && nth < shown.length - 1 && nth !== lastSaid;
    out.write(rowText(out, row, { nowMs, whoColumns, isFolded }));
  });
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
