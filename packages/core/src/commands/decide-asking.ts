import { AgentId, mainDialogOf, type OutsideQuestion, type RootId } from "@colloquy/schema";
import { deadlineMs } from "../gate/deadline.ts";
import { Draft } from "../state/draft.ts";
import { refuse } from "../state/decision.ts";
import { hash } from "../state/hash.ts";
import type { CreationDecision, Project } from "../state/project.ts";
import { receiptOf, repeatedCommand } from "../state/project-receipt.ts";
import { emptyTree } from "../state/tree.ts";

/** The agent field of such questions. No agent can have this id. */
export const OUTSIDE = AgentId.parse("outside");

/** A tree's first event is its creation, the second its question. */
const FIRST_QUESTION_SEQ = 2;
/** Every list of open questions carries them in full. */
const MAX_OPTIONS_LENGTH = 50_000;

/** The ids of the new dialog and its question. */
interface NewQuestion {
  readonly rootId: RootId;
  readonly question: string;
}

/** A question of an outside program: a dialog that holds nothing else, in one commit with the project's stream. */
export function decideAsking(project: Project, asking: OutsideQuestion, { rootId, question }: NewQuestion, at: number): CreationDecision {
  const { headline, text = "", program, options = [], otherwise, by } = asking;
  const fingerprint = hash(
    `ask ${JSON.stringify([program, headline, text, options, asking.multiple, asking.allowOther, asking.deadline, otherwise])}`,
  );
  const repeated = repeatedCommand(project, asking, fingerprint);
  if (repeated?.ok) return { kind: "known", rootId: repeated.id as RootId, seq: FIRST_QUESTION_SEQ };
  if (repeated) return { kind: "refused", refusal: repeated.refusal };
  const wrong = problemOf(asking, at);
  if (wrong !== undefined) return { kind: "refused", refusal: refuse("bad_request", wrong).refusal };
  const dialog = mainDialogOf(rootId);
  const draft = new Draft(emptyTree(rootId), at);
  const taskDocPath = `tasks/${rootId}.tsk/`;
  draft.add({ type: "dialog.created", dialog, course: 1, agent: OUTSIDE, title: headline.trim(), taskDocPath, by, program });
  draft.ask(
    { dialog, agent: OUTSIDE },
    {
      id: question,
      kind: "question",
      headline: headline.trim(),
      text: text.trim(),
      ...(options.length > 0 && { options }),
      ...(asking.multiple !== undefined && { multiple: asking.multiple }),
      ...(asking.allowOther !== undefined && { allowOther: asking.allowOther }),
      ...(asking.deadline !== undefined && { deadline: deadlineMs(asking.deadline, at) }),
      ...(otherwise !== undefined && { otherwise }),
    },
  );
  const created = { type: "tree.created" as const, rootId, by, ...receiptOf(asking, fingerprint) };
  return { kind: "made", project: [created], tree: draft.events, seq: FIRST_QUESTION_SEQ };
}

function problemOf({ headline, program, options = [], otherwise, deadline, allowOther }: OutsideQuestion, at: number): string | undefined {
  if (headline.trim() === "") return "headline: a question needs some words.";
  if (program.trim() === "") return "program: say which program asks.";
  if (JSON.stringify(options).length > MAX_OPTIONS_LENGTH)
    return `options: together they may have at most ${MAX_OPTIONS_LENGTH} characters.`;
  const labels = options.map(({ label }) => label);
  const twice = labels.find((label, nth) => labels.indexOf(label) < nth);
  if (twice !== undefined) return `options: "${twice}" is there twice. Every choice needs a label of its own.`;
  if (otherwise !== undefined && !labels.includes(otherwise))
    return `otherwise: "${otherwise}" is none of the choices. Valid: ${labels.join(", ") || "none, there are no choices"}.`;
  if (allowOther === false && labels.length === 0) return "allowOther: without choices, an answer in words must be allowed.";
  if (deadline !== undefined && deadlineMs(deadline, at) <= at) return "deadline: this time has already passed. Give a time in the future.";
  return undefined;
}
