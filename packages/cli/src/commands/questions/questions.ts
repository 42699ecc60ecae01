import type { UnsettledInTree } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { rememberShown } from "../../dialogs/shown-questions.ts";
import { type Card, inboxText } from "../../terminal/question-card.ts";
import type { Screen } from "../../terminal/screen.ts";
import { type Column, table } from "../../terminal/table.ts";
import { ago } from "../../terminal/time.ts";
import { oneLine } from "../../terminal/visible.ts";

export const questions = defineCommand({
  words: [],
  options: {
    all: { about: { en: "also those that are answered, dismissed, withdrawn or expired", zh: "也列出已回答、不作答、已撤回或已过期的" } },
  },
  about: {
    en:
      "Everything that waits for you, most unblocking first: ◆ questions, ⛨ approvals, ! limits and faults. Choices are numbered " +
      "as --choice counts them. In a pipe one per line: id, kind, headline, agent, dialog, asked at, due, how many wait, choices, status.",
    zh: "等你答复的一切，最能让工作继续的在前：◆ 提问，⛨ 审批，! 上限和故障。选项的序号与 --choice 一致。在管道中每行一个：id、种类、标题、智能体、对话、提问时间、期限、多少在等、选项、状态。",
  },
  examples: [
    ["colloquy questions", { en: "the same: colloquy inbox, colloquy q", zh: "相同的命令：colloquy inbox、colloquy q" }],
    ["colloquy questions --json", { en: "for a program", zh: "供程序使用" }],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const { out, now } = call.shell;
      const found = await project.questions({ all: call.values.all ?? false });
      const cards = await Promise.all(found.map((question) => cardOf(project, question)));
      const isNew = found.length === 0 && (await project.dialogs()).length === 0;
      const unsettled = await project.unsettled();
      print(call, { questions: found, unsettled }, () => {
        if (!out.isTerminal) return lines(out, cards);
        const text = cards.length === 0 && unsettled.length === 0 ? emptyText(isNew) : inboxText(out, cards, now());
        return [cards.length === 0 && unsettled.length > 0 ? "" : text, unsettledText(call, unsettled)].filter(Boolean).join("\n");
      });
      await rememberShown(project, found);
      return ExitCode.done;
    }),
});

const lines = (screen: Screen, cards: readonly Card[]): string => {
  const columns: readonly Column<Card>[] = [
    { title: "", show: ({ question }) => shortId(question.id) },
    { title: "", show: ({ question }) => question.kind },
    { title: "", show: ({ question }) => question.headline },
    { title: "", show: ({ question }) => question.program ?? question.agentId },
    { title: "", show: ({ title }) => title },
    { title: "", show: ({ question }) => question.askedAt },
    { title: "", show: ({ question }) => question.deadline ?? "" },
    { title: "", show: ({ question }) => String(question.waitingBehind) },
    { title: "", show: ({ question }) => question.options.map(({ label }, nth) => `${nth + 1} ${label}`).join("; ") },
    { title: "", show: ({ question }) => question.status },
    { title: "", show: ({ question }) => question.given?.id ?? "" },
  ];
  return table(screen, columns, cards);
};

function emptyText(isNew: boolean): string {
  return isNew
    ? 'No questions. When an agent needs a decision, it appears here. Start a dialog: colloquy new "…"\n'
    : "Nothing is waiting for you.\n";
}

/** Calls that somebody must settle. */
function unsettledText({ shell: { out, now } }: Pick<Call, "shell">, calls: readonly UnsettledInTree[]): string {
  if (calls.length === 0) return "";
  const rows = calls.map(
    ({ call, tool, agent, dialog, at }) =>
      `${shortId(call)}  ? ${out.colours.bold(oneLine(tool))}  ${out.colours.dim(`${agent} in ${shortId(dialog)} · ${ago(at, now())}`)}\n`,
  );
  return `Nobody knows whether these calls took effect. Look, then: colloquy effects settle CALL done|failed\n${rows.join("")}`;
}
