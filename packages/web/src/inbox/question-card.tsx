import { type ProjectQuestion, useConnection, useDoor, useProject } from "@colloquy/react";
import { useEffect, useRef, useState } from "react";
import { useIsPhone } from "../frame/use-is-phone.ts";
import { Markdown } from "../parts/markdown.tsx";
import { Problem } from "../parts/problem.tsx";
import { KindGlyph } from "../parts/state-glyph.tsx";
import { WhyDialog } from "../parts/why-dialog.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { duration, moment } from "../state/duration.ts";
import { draftKey, keep, useKept } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { AnswerField } from "./answer/answer-field.tsx";
import { AnswerForm } from "./answer/answer-form.tsx";
import { actOf, ApprovalBox, lengthOf, whyOf } from "./answer/approval-box.tsx";
import { AskBackForm } from "./answer/ask-back-form.tsx";
import { AskerPath } from "./asker-path.tsx";
import { CardButtons } from "./card-buttons.tsx";
import { ChoiceList } from "./answer/choice-list.tsx";
import { ClosedNote } from "./closed-note.tsx";
import { FormerWords } from "./former-words.tsx";
import { snooze } from "./later.ts";
import { LedToIt } from "./led-to-it.tsx";
import { QuestionThread } from "./question-thread.tsx";
import { useArmedKeys } from "./answer/use-arming.ts";
import { useContext } from "./use-context.ts";
import { type Failure, useDeciding, type Verb } from "./use-question.ts";

/** What stands open over the card. */
export type Mode = "none" | "askBack" | "dismiss" | "approveLike" | "deny" | "change" | "later";

/** On a phone a longer change is looked at to its end before it can be approved. */
const LONG_LINES = 60;

export interface CardProps {
  readonly question: ProjectQuestion;
  /** Keys answer this one. */
  readonly isActive: boolean;
  /** Within a dialog the page around it says where one is. */
  readonly isInDialog?: boolean;
  /** Others that can be decided in the same way. */
  readonly alike?: readonly ProjectQuestion[] | undefined;
  readonly onDecided?: (question: ProjectQuestion, said: string, failures: readonly Failure[]) => void;
}

const NONE: readonly ProjectQuestion[] = [];

/** A question as a person decides it: the same card in the inbox and in a dialog. */
export function QuestionCard({ question, isActive, isInDialog = false, alike = NONE, onDecided }: CardProps) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const door = useDoor();
  const isPhone = useIsPhone();
  const { role } = useConnection();
  const { agentName } = useProject(question.projectId);
  const agent = agentName(question.agentId);
  const context = useContext(question);
  const deciding = useDeciding(question);
  const [draft, setDraft] = useKept(draftKey(question.id));
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [mode, setMode] = useState<Mode>("none");
  const [isForAll, setForAll] = useState(false);
  const [isSeen, setSeen] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const isApproval = question.kind === "approval";
  const isOpen = question.status === "open";
  const mayAct = role !== "viewer";
  const call = context?.call;
  const mustLook = isApproval && isPhone && !isSeen && call !== undefined && lengthOf(call, question.text) > LONG_LINES;

  useEffect(() => {
    setChosen([]);
    setSeen(false);
  }, [question.id, question.shown]);
  useEffect(() => {
    if (!isActive || !isOpen) return;
    door.present(question.projectId, question.id, draft !== "");
    return () => door.present(question.projectId, undefined, false);
  }, [door, isActive, isOpen, question.projectId, question.id, draft !== ""]);

  const choose = (nth: number) =>
    setChosen((before) => {
      if (!question.multiple) return [nth];
      return before.includes(nth) ? before.filter((one) => one !== nth) : [...before, nth].toSorted((a, b) => a - b);
    });

  const decide = async (verb: Verb, body: Readonly<Record<string, unknown>>, said: string) => {
    if (deciding.isSending || !(await deciding.act(verb, body))) return;
    const failures = isForAll ? await deciding.actAlike(alike, verb, body) : [];
    keep(draftKey(question.id), undefined);
    snooze(question.id, undefined);
    onDecided?.(question, said, failures);
  };
  const answer = async (content = draft.trim()) => {
    if (!isOpen || isApproval || (chosen.length === 0 && content === "")) return;
    const said = [...chosen.map((nth) => question.options[nth]?.label ?? ""), content].filter((one) => one !== "").join(" · ");
    const choice = chosen.length === 1 && !question.multiple ? chosen[0] : chosen;
    await decide("answer", { ...(chosen.length > 0 && { choice }), ...(content !== "" && { content }) }, said);
  };
  const approve = (body: Readonly<Record<string, unknown>>, said: string) => decide("approve", body, said);
  const where = { page: "dialog", projectId: question.projectId, dialogId: question.dialog.selfId, seq: question.seq } as const;

  useArmedKeys(isActive && isOpen && mayAct && mode === "none", `${question.id} ${question.shown}`, area, (key) => {
    const nth = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
    if (key === "o") go(where);
    else if (key === "b") setMode("askBack");
    else if (key === "h" && !isInDialog) setMode("later");
    else if (key === "x" && alike.length > 0) setForAll(!isForAll);
    else if (isApproval) {
      if (mustLook) return false;
      if (key === "a") void approve({}, words.approval.once);
      else if (key === "A" && role === "owner") setMode("approveLike");
      else if (key === "d") setMode("deny");
      else if (key === "c") setMode("change");
      else return false;
    } else if (nth >= 0 && nth < question.options.length) {
      // The same key again sends: two presses, so that a stray digit is harmless.
      if (!question.multiple && chosen.includes(nth)) void answer();
      else choose(nth);
    } else if (key === "Enter" && chosen.length > 0 && !isOnButton()) void answer();
    else if (key === "r") field.current?.focus();
    else return false;
    return true;
  });

  const why = isApproval ? whyOf(question.text, call) : "";
  const fields = question.fields ?? [];
  const hasForm = fields.length > 0 && question.options.length === 0;
  const hasField = !isApproval && !hasForm && (question.allowOther || question.options.length === 0);
  return (
    <article aria-label={question.headline} className="mx-auto w-full max-w-[760px]">
      {!isInDialog && (
        <AskerPath question={question} names={context?.path.map(({ agentId, selfId }) => ({ name: agentName(agentId), selfId })) ?? []} />
      )}
      <p className="mt-1 flex flex-wrap gap-x-1 text-[13px] text-muted">
        <span>
          {agent} · {words.kinds[question.kind]} · {words.askedAgo(duration(now - Date.parse(question.askedAt), words))}
        </span>
        {question.given?.id !== undefined && <span>· {words.agentsId(question.given.id)}</span>}
        {question.given?.createdAt !== undefined && (
          <span>· {words.writtenAt(moment(Date.parse(question.given.createdAt), now, language))}</span>
        )}
        {question.waitingBehind > 0 && <span>· {words.waitBehind(question.waitingBehind)}</span>}
        {question.deadline !== undefined && (
          <span className="font-medium text-await">· {words.due(moment(Date.parse(question.deadline), now, language))}</span>
        )}
      </p>
      <h2 className="mt-2 flex items-start gap-2 text-xl font-semibold leading-snug tracking-tight">
        {isApproval && (
          <span className="mt-1">
            <KindGlyph kind="approval" />
          </span>
        )}
        <span className="written min-w-0 flex-1">{isApproval ? (actOf(call, words) ?? question.headline) : question.headline}</span>
      </h2>
      {isApproval && <p className="mt-1 font-mono text-[13px] text-muted">{question.headline}</p>}
      {context && context.former.length > 0 && <FormerWords former={context.former} />}

      <div className="mt-3">
        {isApproval ? (
          <>
            {why !== "" && <p className="mb-3 whitespace-pre-wrap">{why}</p>}
            {call && <ApprovalBox call={call} text={question.text} onSeen={() => setSeen(true)} />}
          </>
        ) : (
          question.text.trim() !== "" && question.text.trim() !== question.headline.trim() && <Markdown text={question.text} />
        )}
      </div>
      {question.otherwise !== undefined && <p className="mt-2 text-[13px] text-muted">{words.otherwiseLine(question.otherwise)}</p>}

      <div ref={area} className="mt-4 flex flex-col gap-3">
        {!isApproval && question.options.length > 0 && isOpen && (
          <ChoiceList options={question.options} isMultiple={question.multiple} chosen={chosen} onChoose={choose} />
        )}
        {isOpen && mayAct && hasForm && (
          <AnswerForm fields={fields} isSending={deciding.isSending} onSend={(content) => void answer(content)} />
        )}
        {isOpen && mayAct && hasField && (
          <AnswerField
            ref={field}
            draft={draft}
            setDraft={setDraft}
            hasChoices={question.options.length > 0}
            onSend={() => void answer()}
          />
        )}
        <QuestionThread question={question} agent={agent} agentName={agentName} isAsking={mode === "askBack"} />
        {mode === "askBack" && (
          <AskBackForm
            agent={agent}
            isSending={deciding.isSending}
            onSend={async (content) => {
              if (await deciding.act("ask-back", { content })) setMode("none");
            }}
            onCancel={() => setMode("none")}
          />
        )}
        <Problem text={deciding.problem} isBoxed />
        {isOpen && mayAct && alike.length > 0 && (
          <label className="flex min-h-8 w-fit items-center gap-2 text-[13px]">
            <input
              type="checkbox"
              className="h-4 w-4 accent-(--accent)"
              checked={isForAll}
              onChange={(event) => setForAll(event.target.checked)}
            />
            {words.sameForAll(alike.length + 1)} <kbd className="max-sm:hidden">x</kbd>
          </label>
        )}
        {mustLook && (
          <p className="flex flex-wrap items-center gap-3 text-[13px] text-muted">
            {words.approval.scrollFirst}
            <button type="button" className="button" onClick={() => setSeen(true)}>
              {words.approval.seen}
            </button>
          </p>
        )}
        {isOpen && mayAct && mode !== "askBack" && (
          <CardButtons
            question={question}
            call={call}
            mode={mode}
            setMode={setMode}
            isInDialog={isInDialog}
            isSticky={isActive}
            isSending={deciding.isSending}
            isHeld={mustLook}
            canAnswer={chosen.length > 0 || (hasField && draft.trim() !== "")}
            hasOwnSend={hasForm}
            onAnswer={() => void answer()}
            onApprove={(body, said) => void approve(body, said)}
            onDeny={(reason) => void decide("deny", reason === "" ? {} : { why: reason }, words.approval.deny.replace(/ ?…+$/, ""))}
          />
        )}
        {!mayAct && <p className="text-[13px] text-muted">{words.composer.viewer}</p>}
      </div>
      {!isOpen && <ClosedNote question={question} agent={agent} draft={draft} onSent={() => setDraft(undefined)} />}
      {!isInDialog && isActive && context && <LedToIt context={context} agentName={agentName} />}
      {mode === "dismiss" && (
        <WhyDialog
          title={words.dismissTitle}
          text={words.dismissText(agent)}
          label={words.dismissWhy}
          action={words.dismiss}
          onClose={() => setMode("none")}
          onGo={(reason) => {
            setMode("none");
            void decide("dismiss", reason === "" ? {} : { why: reason }, words.dismiss);
          }}
        />
      )}
    </article>
  );
}

/** Enter on a button is that button's. */
const isOnButton = (): boolean => {
  const tag = document.activeElement?.tagName;
  const role = document.activeElement?.getAttribute("role");
  return (tag === "BUTTON" && role !== "radio" && role !== "checkbox" && role !== "option") || tag === "A" || tag === "SUMMARY";
};
