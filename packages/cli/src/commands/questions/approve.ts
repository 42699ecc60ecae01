import type { ApproveInput, QuestionView } from "@colloquy/library";
import { defineCommand } from "../../line/command.ts";
import { drivingOptions } from "../../access/driving.ts";
import { wrongUsage } from "../../line/failure.ts";
import { findQuestion, shortId } from "../../dialogs/ids.ts";
import { decideQuestion } from "../../dialogs/question-decision.ts";
import { withProject } from "../../dialogs/session.ts";
import { lastShown } from "../../dialogs/shown-questions.ts";
import { readDuration } from "@colloquy/schema";

const SCOPES = ["dialog", "task", "project"] as const;

export const approve = defineCommand({
  words: ["Q"],
  options: {
    for: {
      takes: "SCOPE",
      about: {
        en: "dialog, task or project: don't ask again there for similar calls (needs --like)",
        zh: "dialog、task 或 project：在该范围内，类似的调用不再询问（须有 --like）",
      },
    },
    like: {
      takes: "PATTERN",
      about: { en: 'which calls: "tool", or "tool(text*)" for its argument', zh: "哪些调用：“tool”，或按参数“tool(text*)”" },
    },
    until: {
      takes: "TIME",
      about: {
        en: "how long that is valid: 30m, 2h, 3d, or an ISO time (default: for good)",
        zh: "有效到何时：30m、2h、3d 或 ISO 时间（默认：一直有效）",
      },
    },
    ...drivingOptions,
  },
  about: {
    en:
      "Approves one call, once, exactly as shown. With --like also calls that match the pattern, in this dialog unless --for " +
      "says otherwise; grants lists and revokes those.",
    zh: "批准一个调用，仅此一次，完全照所显示的内容。加 --like 则也批准符合该模式的调用，除非 --for 另有规定，只在本对话内有效；用 grants 列出和收回。",
  },
  examples: [
    ["colloquy approve 90aa17", { en: "this call, once", zh: "这个调用，仅此一次" }],
    [
      'colloquy approve 90aa17 --for project --like "shell(npm test*)" --until 2h',
      { en: "and the like, for two hours", zh: "连同类似的调用，两小时内" },
    ],
  ],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { values, shell } = call;
        const id = await findQuestion(project, call.words[0] ?? "");
        const input = inputFrom(values, await project.question(id), shell.now());
        const shown = await lastShown(project, id);
        return decideQuestion(call, project, id, { act: () => project.approve(id, { ...input, ...(shown !== undefined && { shown }) }) });
      },
      "touched",
    ),
});

interface Given {
  readonly for?: string;
  readonly like?: string;
  readonly until?: string;
}

function inputFrom({ for: scope, like, until }: Given, question: QuestionView, nowMs: number): ApproveInput {
  if (scope !== undefined && !isScope(scope)) throw wrongUsage(`--for is ${SCOPES.join(", ")}, not "${scope}".`);
  // Never widened silently: the person must say which calls are meant.
  if (scope !== undefined && like === undefined)
    throw wrongUsage(
      `Say which calls: colloquy approve ${shortId(question.id)} --for ${scope} --like "${toolOf(question)}", or --like "${toolOf(question)}(…*)" for some of them.`,
    );
  if (until !== undefined && like === undefined) throw wrongUsage("--until goes with --like: one call is approved once.");
  const untilMs = until === undefined ? undefined : timeFrom(until, nowMs);
  return like === undefined ? {} : { pattern: like, scope: scope ?? "dialog", ...(untilMs !== undefined && { until: untilMs }) };
}

const isScope = (text: string): text is (typeof SCOPES)[number] => SCOPES.some((scope) => scope === text);

const toolOf = ({ tool }: QuestionView): string => tool ?? "tool";

function timeFrom(text: string, nowMs: number): number {
  const ms = readDuration(text);
  const at = ms === undefined ? Date.parse(text) : nowMs + ms;
  if (Number.isNaN(at)) throw wrongUsage(`--until takes a time such as 30m, 2h or 3d, or an ISO time, not "${text}".`);
  return at;
}
