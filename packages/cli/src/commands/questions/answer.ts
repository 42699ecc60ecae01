import type { AnswerInput, QuestionView } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { drivingOptions } from "../../access/driving.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import { choiceOf } from "../../dialogs/choice-of.ts";
import { findQuestion, shortId } from "../../dialogs/ids.ts";
import { cardOf } from "../../dialogs/inbox.ts";
import { decideQuestion, overText } from "../../dialogs/question-decision.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { lastShown, rememberShown } from "../../dialogs/shown-questions.ts";
import { cardText } from "../../terminal/question-card.ts";

export const answer = defineCommand({
  words: ["Q", "[TEXT…]"],
  options: {
    choice: {
      takes: "N",
      repeats: true,
      about: {
        en: "the number of a choice, from 1 as printed; repeat it to choose several",
        zh: "选项的序号，从 1 起，与打印的一致；可重复给出以选择多个",
      },
    },
    ...drivingOptions,
  },
  about: {
    en:
      "Answers a question, with a choice, with your own words (- reads them from standard input), or both; the waiting dialogs continue. " +
      "Without either, in a terminal, it shows the question and asks. Q is some digits of its id, or a dialog that asks only one.",
    zh: "回答一个提问：用选项，用自己的话（- 表示从标准输入读取），或两者兼用；等待的对话随即继续。两者都不给，则在终端中显示提问并询问。Q 是其 id 的几位，或只有一个提问的对话。",
  },
  examples: [
    ["colloquy answer 4be1d0 --choice 1", { en: "the first choice", zh: "第一个选项" }],
    ['colloquy answer 4be1d0 --choice 1 "But keep ids as UUID"', { en: "with a remark", zh: "并附一句说明" }],
    ["colloquy answer 4be1d0", { en: "shows it and asks", zh: "显示提问并询问" }],
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
        const { choice = [] } = values;
        const isSilent = content === undefined && choice.length === 0;
        const input = isSilent ? await askPerson(call, project, question) : await typedAnswer(project, question, content, choice);
        if (!input) return ExitCode.refused;
        return decideQuestion(call, project, id, { act: () => project.answer(id, input), draft: input.content });
      },
      "touched",
    );
  },
});

type Output = Pick<Call, "shell" | "json">;

async function typedAnswer(
  project: ProjectAccess,
  question: QuestionView,
  content: string | undefined,
  choices: readonly string[],
): Promise<AnswerInput> {
  const shown = await lastShown(project, question.id);
  return {
    ...(content !== undefined && { content }),
    ...(choices.length > 0 && { choice: choices.map((typed) => choiceOf(question, typed)) }),
    ...(shown !== undefined && { shown }),
  };
}

/** Undefined if the person cancels. */
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
  // The answer names the version that was shown.
  return given && { ...given, shown: question.shown };
}
