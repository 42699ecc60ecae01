import type { QuestionId, TreeEvent } from "@colloquy/schema";
import { conclude } from "../step/conclude.ts";
import { accept, type Decision } from "../state/decision.ts";
import { Draft } from "../state/draft.ts";
import type { Rules } from "../prompt/rules.ts";
import type { Tree } from "../state/tree.ts";
import type { SharedEnd } from "./section.ts";

/** The question in another tree that this one shares has closed, so this one closes the same way, once. */
export function decideSharedEnd(tree: Tree, id: QuestionId, end: SharedEnd, rules: Rules): Decision<TreeEvent> {
  const question = tree.questions.get(id);
  if (question?.status !== "open") return accept(tree.seq, []);
  const draft = new Draft(tree, rules.at);
  const said = end.as === "withdrawn" ? undefined : end;
  draft.add({
    type: "question.closed",
    ...draft.here(question.dialog),
    agent: question.agent,
    question: id,
    as: end.as,
    content: end.content,
    ...(said?.choice && { choice: [...said.choice] }),
    ...(said?.by !== undefined && { by: said.by }),
  });
  conclude(draft, rules);
  return draft.decision();
}
