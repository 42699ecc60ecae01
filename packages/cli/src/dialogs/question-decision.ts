import type { QuestionId, QuestionView, TreeEvent } from "@colloquy/library";
import type { Call } from "../line/command.ts";
import type { ProjectAccess, Receipt } from "../access/project-access.ts";
import { Driving, tellNotices, type Waiting } from "../access/driving.ts";
import type { ExitCode } from "../line/exit-code.ts";
import { type Failure, failureOf, refused } from "../line/failure.ts";
import { mainOf, type DialogAddress, shortId } from "./ids.ts";
import { nameOf } from "./inbox.ts";
import { ago, clock } from "../terminal/time.ts";
import { oneLine } from "../terminal/visible.ts";
import { cut } from "../terminal/width.ts";

type DecidingCall = Pick<Call, "shell" | "json"> & { readonly values: Waiting };

interface Decision {
  readonly act: () => Promise<Receipt>;
  /** The person's text; a refusal repeats it, so that it isn't lost. */
  readonly draft?: string | undefined;
}

/** Decides a question, then drives the tree that waited for it. */
export async function decideQuestion(
  call: DecidingCall,
  project: ProjectAccess,
  id: QuestionId,
  { act, draft = "" }: Decision,
): Promise<ExitCode> {
  tellNotices(call, project);
  const question = await project.question(id);
  const goal = await goalOf(project, question);
  const driving = new Driving(call, project, call.values);
  try {
    const { seq } = await act();
    return await driving.finish(goal, { question: id, seq });
  } catch (error) {
    driving.end();
    if (failureOf(error).code !== "question_not_open") throw error;
    throw await overText(project, await project.question(id), draft, call.shell.now());
  }
}

/** The dialog to wait for: the main dialog, unless it waits for nothing. */
async function goalOf(project: ProjectAccess, { dialog }: QuestionView): Promise<DialogAddress> {
  const main = mainOf(dialog.rootId);
  const { state } = await project.view(main);
  return state === "asking" || state === "waiting" || state === "working" || state === "interrupted" ? main : dialog;
}

/** `Anna answered this 12 s ago: "PostgreSQL".`, and the command that sends the person's text anyway. */
export async function overText(project: ProjectAccess, question: QuestionView, draft: string, nowMs: number): Promise<Failure> {
  const { id, agentId, dialog, status } = question;
  const { at, content = "", choice, by } = await closingOf(project, question);
  const agent = nameOf(project, agentId);
  const words = cut(oneLine([choice?.join(", "), content === choice?.[0] ? "" : content].filter(Boolean).join(" · ")), 80);
  const who = by === "owner" ? "You" : by;
  const when = at === undefined ? "already" : ago(at, nowMs) === "now" ? "just now" : `${ago(at, nowMs)} ago`;
  const time = at === undefined ? "" : ` at ${clock(at, nowMs)}`;
  const what =
    status === "withdrawn"
      ? `${agent} withdrew this question${time}${words === "" ? "" : ` (${words.replace(/\.$/, "")})`}.`
      : status === "expired"
        ? `This question expired${time}; ${agent} continued without an answer.`
        : status === "dismissed"
          ? `${who ?? "Somebody"} dismissed this ${when}${words === "" ? "" : `: "${words}"`}.`
          : `${who ?? "Somebody"} ${decidedText(question)} ${when}${words === "" ? "" : `: "${words}"`}.`;
  const kept =
    draft === ""
      ? ""
      : ` To say it to ${agent} as a message: colloquy send ${shortId(dialog.selfId)} ${JSON.stringify(cut(oneLine(draft), 200))}`;
  return refused("question_not_open", `${what}${kept || ` See what became of it: colloquy show ${shortId(id)}`}`);
}

function decidedText({ answer }: QuestionView): string {
  if (answer?.verdict === undefined) return "answered this";
  return answer.verdict === "changed" ? "approved this with changes" : `${answer.verdict} this`;
}

type Closing = { readonly at: string | undefined } & Partial<
  Pick<Extract<TreeEvent, { type: "question.closed" }>, "content" | "choice" | "by">
>;

/** Folded state has no time for a question that nobody answered; the log does. */
async function closingOf(project: ProjectAccess, { id, dialog }: QuestionView): Promise<Closing> {
  for (const { at, events } of (await project.events(dialog.rootId)).toReversed()) {
    for (const event of events) if (event.type === "question.closed" && event.question === id) return { ...event, at };
  }
  return { at: undefined };
}
