import type { Project, QuestionView } from "@colloquy/library";
import { defineCommand } from "../command.ts";
import { ExitCode } from "../exit-code.ts";
import { shortId } from "../ids.ts";
import { cardOf } from "../inbox.ts";
import { print } from "../output.ts";
import { withProject } from "../session.ts";
import { rememberShown } from "../shown-questions.ts";
import { inboxText } from "../terminal/question-card.ts";
import type { Screen } from "../terminal/screen.ts";
import { type Column, table } from "../terminal/table.ts";

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
      const cards = found.map((question) => cardOf(project, question));
      print(call, { questions: found }, () => {
        if (!out.isTerminal) return lines(out, project, found);
        return cards.length === 0 ? emptyText(project) : inboxText(out, cards, now());
      });
      await rememberShown(project, found);
      return ExitCode.done;
    }),
});

const lines = (screen: Screen, project: Project, found: readonly QuestionView[]): string => {
  const columns: readonly Column<QuestionView>[] = [
    { title: "", show: ({ id }) => shortId(id) },
    { title: "", show: ({ kind }) => kind },
    { title: "", show: ({ headline }) => headline },
    { title: "", show: ({ agentId }) => agentId },
    { title: "", show: ({ dialog }) => project.entry(dialog.rootId)?.title ?? "" },
    { title: "", show: ({ askedAt }) => askedAt },
    { title: "", show: ({ deadline }) => deadline ?? "" },
    { title: "", show: ({ waitingBehind }) => String(waitingBehind) },
    { title: "", show: ({ options }) => options.map(({ label }, nth) => `${nth + 1} ${label}`).join("; ") },
    { title: "", show: ({ status }) => status },
  ];
  return table(screen, columns, found);
};

function emptyText(project: Project): string {
  const count = project.count();
  return count === 0
    ? 'No questions. When an agent needs a decision, it appears here. Start a dialog: colloquy new "…"\n'
    : "Nothing waits for you.\n";
}
