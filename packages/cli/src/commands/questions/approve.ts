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
    for: { takes: "SCOPE", about: "dialog, task or project: do not ask again there for calls like it (needs --like)" },
    like: { takes: "PATTERN", about: 'which calls: "tool", or "tool(text*)" for its argument' },
    until: { takes: "TIME", about: "how long that holds: 30m, 2h, 3d, or an ISO time (default: for good)" },
    ...drivingOptions,
  },
  about:
    "Approves one call, exactly as it is shown, and once. With --like also calls that fit the pattern, in this dialog unless --for " +
    "says more; grants lists and revokes those.",
  examples: [
    ["colloquy approve 90aa17", "this call, once"],
    ['colloquy approve 90aa17 --for project --like "shell(npm test*)" --until 2h', "and the like, for two hours"],
  ],

  run: (call) =>
    withProject(
      call,
      async (project) => {
        const { values, shell } = call;
        const id = await findQuestion(project, call.words[0] ?? "");
        const input = inputFrom(values, await project.question(id), shell.now());
        const shown = await lastShown(project, id);
        return decideQuestion(call, project, id, values, () => project.approve(id, { ...input, ...(shown !== undefined && { shown }) }));
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
  // Never widened silently: which calls are meant is for the person to say.
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
