import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { print } from "../../line/output.ts";
import { withProject } from "../../dialogs/session.ts";
import { rememberShown } from "../../dialogs/shown-questions.ts";
import { type Card, inboxText } from "../../terminal/question-card.ts";
import type { Screen } from "../../terminal/screen.ts";
import { type Column, table } from "../../terminal/table.ts";

export const questions = defineCommand({
  words: [],
  options: { all: { about: "also those that are answered, dismissed, withdrawn or expired" } },
  about:
    "Everything that waits for you, what frees most work first: ◆ questions, ⛨ approvals, ! limits and faults. Choices are numbered " +
    "as --choice counts them. In a pipe one a line: id, kind, headline, agent, dialog, asked at, due, how many wait, choices, status.",
  examples: [
    ["colloquy questions", "the same: colloquy inbox, colloquy q"],
    ["colloquy questions --json", "for a program"],
  ],

  run: (call) =>
    withProject(call, async (project) => {
      const { out, now } = call.shell;
      const found = await project.questions({ all: call.values.all ?? false });
      const cards = await Promise.all(found.map((question) => cardOf(project, question)));
      const isNew = found.length === 0 && (await project.dialogs()).length === 0;
      print(call, { questions: found }, () => {
        if (!out.isTerminal) return lines(out, cards);
        return cards.length === 0 ? emptyText(isNew) : inboxText(out, cards, now());
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
    { title: "", show: ({ question }) => question.agentId },
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
