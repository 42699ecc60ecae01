import { type ProjectQuestion, useConnection, usePresence, useProject } from "@colloquy/react";
import { useEffect, useRef, useState } from "react";
import { useIsPhone } from "../../frame/use-is-phone.ts";
import { draftKey, keep, useKept } from "../../state/kept.ts";
import { lengthOf } from "../answer/approval-box.tsx";
import { snooze } from "../later.ts";
import { useContext } from "./use-context.ts";
import { type Failure, useDeciding, type Verb } from "./use-question.ts";

/** The form that is open on the card. */
export type Mode = "none" | "askBack" | "dismiss" | "approveLike" | "deny" | "change" | "later";

/** On phones, longer changes must be scrolled to the end before approving. */
const LONG_LINES = 60;

export interface CardProps {
  readonly question: ProjectQuestion;
  /** Shortcuts act on this card. */
  readonly isActive: boolean;
  /** Inside a dialog, which already shows the location. */
  readonly isInDialog?: boolean;
  /** Others that can be decided in the same way. */
  readonly alike?: readonly ProjectQuestion[] | undefined;
  readonly onDecided?: (question: ProjectQuestion, said: string, failures: readonly Failure[]) => void;
}

const NONE: readonly ProjectQuestion[] = [];
type Body = Readonly<Record<string, unknown>>;

/** A question and the answer that is being made. */
export function useQuestionCard({ question, isActive, isInDialog = false, alike = NONE, onDecided }: CardProps) {
  const { agentName } = useProject(question.projectId);
  const context = useContext(question);
  const deciding = useDeciding(question);
  const [draft, setDraft] = useKept(draftKey(question.id));
  const { chosen, choose } = useChoices(question);
  const [mode, setMode] = useState<Mode>("none");
  const [isForAll, setForAll] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const facts = factsOf(question);
  usePresence(question.projectId, isActive && facts.isOpen ? question.id : undefined, draft !== "");
  const call = context?.call;
  const rights = { ...useRights(), ...useLooking(question, call) };

  const decide = async (verb: Verb, body: Body, said: string) => {
    if (deciding.isSending || !(await deciding.act(verb, body))) return;
    const failures = isForAll ? await deciding.actAlike(alike, verb, body) : [];
    keep(draftKey(question.id), undefined);
    snooze(question.id, undefined);
    onDecided?.(question, said, failures);
  };
  const answer = async (content = draft.trim()) => {
    if (!facts.isOpen || facts.isApproval || (chosen.length === 0 && content === "")) return;
    const said = [...chosen.map((nth) => question.options[nth]?.label ?? ""), content].filter((one) => one !== "").join(" · ");
    const choice = chosen.length === 1 && !question.multiple ? chosen[0] : chosen;
    await decide("answer", { ...(chosen.length > 0 && { choice }), ...(content !== "" && { content }) }, said);
  };
  const askBack = async (content: string) => {
    if (await deciding.act("askBack", { content })) setMode("none");
  };
  return {
    question,
    isActive,
    isInDialog,
    alike,
    agentName,
    context,
    call,
    field,
    area,
    ...facts,
    draft,
    setDraft,
    chosen,
    choose,
    mode,
    setMode,
    isForAll,
    setForAll,
    decide,
    answer,
    askBack,
    agent: question.program ?? agentName(question.agentId),
    ...rights,
    isSending: deciding.isSending,
    problem: deciding.problem,
  };
}

export type Card = ReturnType<typeof useQuestionCard>;

function factsOf({ status, kind, fields, options, allowOther, program }: ProjectQuestion) {
  const isApproval = kind === "approval";
  const hasForm = (fields?.length ?? 0) > 0 && options.length === 0;
  return {
    isOpen: status === "open",
    isApproval,
    hasForm,
    hasField: !isApproval && !hasForm && (allowOther || options.length === 0),
    /** An outside program cannot be asked back. */
    mayAskBack: program === undefined,
  };
}

function useRights() {
  const { role } = useConnection();
  return { isOwner: role === "owner", mayAct: role !== "viewer" };
}

type Call = NonNullable<ReturnType<typeof useContext>>["call"];

/** Whether the reader must still see the end of the change. */
function useLooking({ id, shown, kind, text }: ProjectQuestion, call: Call | undefined) {
  const isPhone = useIsPhone();
  const [isSeen, setSeen] = useState(false);
  useEffect(() => setSeen(false), [id, shown]);
  const isLong = kind === "approval" && call !== undefined && lengthOf(call, text) > LONG_LINES;
  return { setSeen, mustLook: isLong && isPhone && !isSeen };
}

/** The choices made so far, by number. A revised question starts over. */
function useChoices({ id, shown, multiple }: ProjectQuestion) {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  useEffect(() => setChosen([]), [id, shown]);
  const choose = (nth: number) =>
    setChosen((before) => {
      if (!multiple) return [nth];
      return before.includes(nth) ? before.filter((one) => one !== nth) : [...before, nth].toSorted((a, b) => a - b);
    });
  return { chosen, choose };
}
