import type { AnswerInput, QuestionView } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { drivingOptions } from "../../access/driving.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import { findQuestion, shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { decideQuestion, overText } from "../../dialogs/question-decision.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { lastShown, rememberShown } from "../../dialogs/shown-questions.ts";
import { cardText } from "../../terminal/question-card.ts";

export const answer = defineCommand({
  words: ["Q", "[TEXT…]"],
  options: {
    choice: { takes: "N", repeats: true, about: "the choice of that number, from 1 as printed; again where several may be chosen" },
    ...drivingOptions,
  },
  about:
    "Answers a question, with a choice, with your own words (- reads them from standard input), or both; the waiting dialogs continue. " +
    "Without either, in a terminal, it shows the question and asks. Q is some digits of its id, or a dialog that asks only one.",
  examples: [
    ["colloquy answer 4be1d0 --choice 1", "the first choice"],
    ['colloquy answer 4be1d0 --choice 1 "But keep ids as UUID"', "with a remark"],
    ["colloquy answer 4be1d0", "shows it and asks"],
  ],

  async run(call) {
    const { values, words } = call;
    const [typed = "", ...text] = words;
    const content = text.length > 0 ? await textFrom(text, call) : undefined;
    return withProject(
      call,
      async (project) => {
        const id = await findQuestion(project, typed);
        const question = await project.question(id);
        if (question.status !== "open") throw await overText(project, question, content ?? "", call.shell.now());
        if (question.kind === "approval")
          throw refused(
            "is_an_approval",
            `${shortId(id)} is an approval. Decide it: colloquy approve ${shortId(id)}, or colloquy deny ${shortId(id)} --why "…"`,
          );
        const input = await inputFor(call, project, question, content, values.choice ?? []);
        if (!input) return ExitCode.refused;
        return decideQuestion(call, project, id, values, () => project.answer(id, input), input.content);
      },
      "touched",
    );
  },
});

type Output = Pick<Call, "shell" | "json">;

/** What the person says. Undefined: they thought better of it. */
async function inputFor(
  call: Output,
  project: ProjectAccess,
  question: QuestionView,
  content: string | undefined,
  choices: readonly string[],
): Promise<AnswerInput | undefined> {
  if (content === undefined && choices.length === 0) return askPerson(call, project, question);
  const shown = await lastShown(project, question.id);
  return {
    ...(content !== undefined && { content }),
    ...(choices.length > 0 && { choice: choices.map((typed) => choiceOf(question, typed)) }),
    ...(shown !== undefined && { shown }),
  };
}

/** Numbers count from 1 as printed. A label is taken too. */
function choiceOf({ options }: QuestionView, typed: string): string | number {
  if (options.some(({ label }) => label === typed)) return typed;
  const number = Number(typed);
  if (Number.isInteger(number) && number >= 1 && number <= options.length) return number - 1;
  const known = options.map(({ label }, nth) => `${nth + 1} ${label}`).join(", ");
  throw wrongUsage(
    known === "" ? "This question has no choices: answer it with your own words." : `There is no choice ${typed}. There are: ${known}.`,
  );
}

async function askPerson(call: Output, project: ProjectAccess, question: QuestionView): Promise<AnswerInput | undefined> {
  const { shell, json } = call;
  const id = shortId(question.id);
  if (!shell.canAsk || json) {
    const choices = question.options.map(({ label }, nth) => `${nth + 1} ${label}`).join(", ");
    throw wrongUsage(
      choices === ""
        ? `Say what: colloquy answer ${id} "…"`
        : `Choose or say: colloquy answer ${id} --choice 1, or "…". The choices: ${choices}.`,
    );
  }
  shell.out.write(cardText(shell.out, await cardOf(project, question), shell.now()));
  await rememberShown(project, [question]);
  const { askForAnswer } = await import("../../dialogs/ask-for-answer.ts");
  const given = await askForAnswer(question);
  // What is sent carries the version that was shown.
  return given && { ...given, shown: question.shown };
}
