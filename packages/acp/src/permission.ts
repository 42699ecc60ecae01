import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { questionText } from "@colloquy/bridge";
import { type CallPart, exactPattern, type QuestionView, withVisibleControls } from "@colloquy/schema";
import type { AcpProject } from "./acp-project.ts";
import type { Decision } from "./decision.ts";
import { toolCallOf } from "./tool-call.ts";
import { wordsIn } from "./words.ts";

interface Asked {
  readonly question: QuestionView;
  /** The call that it is about. */
  readonly part: CallPart | undefined;
}

/** Whether a permission request can carry the answer. */
export const isPermission = ({ kind, options, multiple, fields }: QuestionView): boolean =>
  kind === "approval" || (options.length > 0 && !multiple && fields === undefined);

/** A question as a permission request. Its options are decisions; one of them leaves the question open. */
export function permissionFor(project: AcpProject, { question, part }: Asked): Omit<RequestPermissionRequest, "sessionId"> {
  const { id, call, headline } = question;
  const text = questionText(question, { language: project.language, page: project.pageOf(id), others: 0 });
  const shown = { type: "content" as const, content: { type: "text" as const, text } };
  const known = part && toolCallOf(part, project.dir);
  return {
    toolCall: {
      toolCallId: call ?? id,
      title: withVisibleControls(headline),
      kind: known?.kind ?? "other",
      status: "pending",
      content: [shown, ...(known?.content ?? [])],
      ...(known?.locations && { locations: known.locations }),
      ...(part && { name: part.tool, rawInput: part.input }),
    },
    options: optionsOf(project, question, part),
  };
}

function optionsOf(project: AcpProject, { kind, options }: QuestionView, part: CallPart | undefined): PermissionOption[] {
  const words = wordsIn(project.language);
  if (kind !== "approval")
    return [
      ...options.map(({ label }, nth) => ({ optionId: `choice-${nth}`, name: withVisibleControls(label), kind: "allow_once" as const })),
      { optionId: "later", name: words.later, kind: "reject_once" },
    ];
  const like = part && exactPattern(part);
  return [
    { optionId: "approve", name: words.approve, kind: "allow_once" },
    ...(like === undefined ? [] : [{ optionId: "approve-like", name: words.approveLike(like), kind: "allow_always" as const }]),
    { optionId: "deny", name: words.deny, kind: "reject_once" },
  ];
}

/** What a permission's outcome decides. An option that was not offered decides nothing. */
export function permitted({ question, part }: Asked, { outcome }: RequestPermissionResponse): Decision {
  if (outcome.outcome !== "selected") return { type: "left" };
  const { optionId } = outcome;
  if (question.kind === "approval") {
    if (optionId === "approve") return { type: "approve" };
    const like = part && exactPattern(part);
    if (optionId === "approve-like" && like !== undefined) return { type: "approveLike", pattern: like };
    return optionId === "deny" ? { type: "deny" } : { type: "left" };
  }
  const [, nth] = /^choice-(\d{1,3})$/.exec(optionId) ?? [];
  const label = nth === undefined ? undefined : question.options[Number(nth)]?.label;
  return label === undefined ? { type: "left" } : { type: "answer", choice: [label] };
}
