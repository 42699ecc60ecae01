import type { AnswerInput, RootId } from "@colloquy/library";
import { Driving, drivingOptions, tellNotices } from "../../access/driving.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { choiceOf } from "../../dialogs/choice-of.ts";
import { findDialog, findQuestion, mainOf, shortId } from "../../dialogs/ids.ts";
import { rememberDialog } from "../../dialogs/last-dialog.ts";
import { textFrom, withProject } from "../../dialogs/session.ts";
import { defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";

export const fork = defineCommand({
  words: ["DIALOG", "[TEXT…]"],
  options: {
    at: {
      takes: "SEQ",
      about: {
        en: "the last event of the copy, as colloquy log numbers them; by default the newest",
        zh: "副本的最后一个事件，编号与 colloquy log 一致；默认为最新的",
      },
    },
    answer: {
      takes: "Q",
      about: {
        en: "fork just before this question was answered, and answer it with TEXT or --choice",
        zh: "从这个提问被回答之前分叉，改用 TEXT 或 --choice 回答",
      },
    },
    choice: {
      takes: "N",
      repeats: true,
      about: { en: "the number of a choice, from 1 as printed", zh: "选项的序号，从 1 起，与打印的一致" },
    },
    ...drivingOptions,
  },
  about: {
    en:
      "Copies a dialog with all its side dialogs up to an event, as a new dialog with new ids. The copy is stopped: colloquy resume starts it. " +
      "What had been done is not done again. With --answer, the copy works on with another answer, and every call with effects waits " +
      "for your approval: what if you had said something else?",
    zh: "把对话连同其全部子对话复制到某个事件为止，成为一个编号全新的对话。副本处于停止状态，用 colloquy resume 启动；已经做过的事不会再做。加上 --answer 时，副本带着另一个回答继续工作，任何有实际影响的调用都等你批准：如果当初换一种回答，会怎样？",
  },
  examples: [
    ["colloquy fork 7f3a2c --at 42", { en: "a copy that ends with event 42", zh: "止于第 42 个事件的副本" }],
    ["colloquy fork 7f3a2c --answer 4be1d0 --choice 2", { en: "what if the second choice had been taken", zh: "如果当初选了第二项" }],
  ],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { words, values } = call;
        const [typed = "", ...text] = words;
        const { rootId } = await findDialog(project, typed);
        const at = values.at === undefined ? undefined : Number(values.at);
        if (at !== undefined && !(Number.isInteger(at) && at > 0))
          throw wrongUsage("--at takes the number of an event, as colloquy log prints it.");
        const content = text.length > 0 ? await textFrom(text, call) : undefined;
        const answer = await answerIn(project, values.answer, { content, choices: values.choice ?? [] });
        if (answer) tellNotices(call, project);
        const driving = answer && new Driving(call, project, values);
        const made = await project.fork(rootId, { at, answer });
        await rememberDialog(project.dir, made);
        if (!driving) {
          print(call, { rootId: made }, () => (call.shell.out.isTerminal ? stopped(made) : `${shortId(made)}\n`));
          return ExitCode.done;
        }
        if (!call.json) (values.wait ? call.shell.err : call.shell.out).write(`${shortId(made)}\n`);
        return driving.finish(mainOf(made), { seq: (await project.view(made)).seq });
      },
      "touched",
    ),
});

const stopped = (made: RootId): string => `${shortId(made)}  stopped. Start it: colloquy resume ${shortId(made)}\n`;

async function answerIn(
  project: ProjectAccess,
  typed: string | undefined,
  { content, choices }: { readonly content: string | undefined; readonly choices: readonly string[] },
): Promise<(AnswerInput & { readonly question: string }) | undefined> {
  if (typed === undefined) {
    if (content !== undefined || choices.length > 0) throw wrongUsage("Name the question that this answers: --answer Q");
    return undefined;
  }
  const question = await project.question(await findQuestion(project, typed));
  if (content === undefined && choices.length === 0) throw wrongUsage(`Say what it is answered with: --choice N, or a text.`);
  return {
    question: question.id,
    ...(content !== undefined && { content }),
    ...(choices.length > 0 && { choice: choices.map((one) => choiceOf(question, one)) }),
  };
}
