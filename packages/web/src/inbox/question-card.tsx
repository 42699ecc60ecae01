import { type ProjectQuestion, projectPath, useConnection, useDoor, useProject } from "@colloquy/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { GrowingField } from "../parts/growing-field.tsx";
import { Link } from "../parts/link.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Menu } from "../parts/menu.tsx";
import { Modal } from "../parts/modal.tsx";
import { KindGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { clock, duration, moment } from "../state/duration.ts";
import { draftKey, keep, useKept } from "../state/kept.ts";
import { newMsgId } from "../state/msg-id.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { actOf, ApprovalBox, whyOf } from "./approval-box.tsx";
import { ApprovalButtons } from "./approval-buttons.tsx";
import { ChoiceList } from "./choice-list.tsx";
import { LedToIt } from "./led-to-it.tsx";
import { snooze, useLater } from "./later.ts";
import { useArmedKeys } from "./use-arming.ts";
import { useContext } from "./use-context.ts";
import { useDeciding } from "./use-question.ts";

export interface CardProps {
  readonly question: ProjectQuestion;
  /** Keys answer this one. */
  readonly isActive: boolean;
  /** Within a dialog the page around it says where one is. */
  readonly isInDialog?: boolean;
  readonly onDecided?: (question: ProjectQuestion, said: string) => void;
}

/** A question as a person decides it: the same card in the inbox and in a dialog. */
export function QuestionCard({ question, isActive, isInDialog = false, onDecided }: CardProps) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const door = useDoor();
  const { role } = useConnection();
  const { agentName } = useProject(question.projectId);
  const agent = agentName(question.agentId);
  const context = useContext(question);
  const deciding = useDeciding(question);
  const [draft, setDraft] = useKept(draftKey(question.id));
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [mode, setMode] = useState<"none" | "askBack" | "dismiss" | "approveLike" | "deny" | "change">("none");
  const field = useRef<HTMLTextAreaElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const isApproval = question.kind === "approval";
  const isOpen = question.status === "open";
  const mayAct = role !== "viewer";
  const later = useLater();

  useEffect(() => setChosen([]), [question.id, question.shown]);
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

  const decided = (said: string) => {
    keep(draftKey(question.id), undefined);
    snooze(question.id, undefined);
    onDecided?.(question, said);
  };
  const answer = async () => {
    const content = draft.trim();
    if (!isOpen || isApproval || deciding.isSending || (chosen.length === 0 && content === "")) return;
    const said = [...chosen.map((nth) => question.options[nth]?.label ?? ""), content].filter((one) => one !== "").join(" · ");
    const isDone = await deciding.act("answer", {
      ...(chosen.length > 0 && { choice: chosen.length === 1 && !question.multiple ? chosen[0] : chosen }),
      ...(content !== "" && { content }),
    });
    if (isDone) decided(said);
  };
  const approve = async (body: Readonly<Record<string, unknown>>, said: string) => {
    if (await deciding.act("approve", body)) decided(said);
  };
  const openWhere = () => go({ page: "dialog", projectId: question.projectId, dialogId: question.dialog.selfId, seq: question.seq });

  useArmedKeys(isActive && isOpen && mayAct && mode === "none", `${question.id} ${question.shown}`, area, (key) => {
    if (isApproval) {
      if (key === "a") void approve({}, words.approval.once);
      else if (key === "A") setMode("approveLike");
      else if (key === "d") setMode("deny");
      else if (key === "c") setMode("change");
      else if (key === "o") openWhere();
      else if (key === "b") setMode("askBack");
      else return false;
      return true;
    }
    const nth = /^[1-9]$/.test(key) ? Number(key) - 1 : -1;
    if (nth >= 0 && nth < question.options.length) {
      // The same key again sends: two presses, so that a stray digit is harmless.
      if (!question.multiple && chosen.includes(nth)) void answer();
      else choose(nth);
    } else if (key === "Enter" && chosen.length > 0 && !isOnButton()) void answer();
    else if (key === "r") field.current?.focus();
    else if (key === "b") setMode("askBack");
    else if (key === "o") openWhere();
    else return false;
    return true;
  });

  const until = later[question.id];
  return (
    <article aria-label={question.headline} className="mx-auto w-full max-w-[760px]">
      {!isInDialog && (
        <Breadcrumb question={question} names={context?.path.map(({ agentId, selfId }) => ({ name: agentName(agentId), selfId })) ?? []} />
      )}
      <p className="mt-1 flex flex-wrap gap-x-2 text-[13px] text-muted">
        <span>
          {agent} · {words.kinds[question.kind]} · {words.askedAgo(duration(now - Date.parse(question.askedAt), words))}
        </span>
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
        <span>{isApproval ? (actOf(context?.call, words) ?? question.headline) : question.headline}</span>
      </h2>
      {isApproval && <p className="mt-1 font-mono text-[13px] text-muted">{question.headline}</p>}

      <div className="mt-3">
        {isApproval ? (
          <>
            {whyOf(question.text, context?.call) !== "" && (
              <p className="mb-3 whitespace-pre-wrap">{whyOf(question.text, context?.call)}</p>
            )}
            {context?.call && <ApprovalBox call={context.call} text={question.text} />}
          </>
        ) : (
          question.text.trim() !== "" && question.text.trim() !== question.headline.trim() && <Markdown text={question.text} />
        )}
      </div>
      {question.otherwise !== undefined && <p className="mt-2 text-[13px] text-muted">{words.otherwiseLine(question.otherwise)}</p>}

      <div ref={area} className="mt-4 flex flex-col gap-3">
        {!isApproval && question.options.length > 0 && isOpen && (
          <ChoiceList
            options={question.options}
            isMultiple={question.multiple}
            chosen={chosen}
            onChoose={choose}
            other={question.allowOther ? () => field.current?.focus() : undefined}
          />
        )}
        {!isApproval && isOpen && mayAct && (question.allowOther || question.options.length === 0) && (
          <GrowingField
            ref={field}
            value={draft}
            aria-label={words.yourAnswer}
            placeholder={words.yourAnswerHint}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing || event.keyCode === 229) return;
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                void answer();
              }
              if (event.key === "Escape") event.currentTarget.blur();
            }}
          />
        )}
        <Thread question={question} agent={agent} agentName={agentName} isAsking={mode === "askBack"} />
        {mode === "askBack" && (
          <AskBack
            agent={agent}
            isSending={deciding.isSending}
            onSend={async (content) => {
              if (await deciding.act("ask-back", { content })) setMode("none");
            }}
            onCancel={() => setMode("none")}
          />
        )}
        {deciding.problem !== undefined && (
          <p role="alert" className="rounded-lg border border-fail bg-fail-soft px-3 py-2 text-[13px] text-fail">
            {deciding.problem}
          </p>
        )}
        {isOpen && mayAct && mode !== "askBack" && (
          <div className="sticky bottom-0 -mx-1 flex flex-wrap items-center gap-2 bg-page px-1 py-2 max-sm:border-t max-sm:border-line">
            {isApproval ? (
              <ApprovalButtons
                question={question}
                call={context?.call}
                mode={mode}
                setMode={setMode}
                isSending={deciding.isSending}
                approve={approve}
                deny={async (why) => {
                  if (await deciding.act("deny", why === "" ? {} : { why })) decided(words.approval.deny.replace(" …", ""));
                }}
              />
            ) : (
              <button
                type="button"
                className="button button-primary px-5"
                disabled={deciding.isSending || (chosen.length === 0 && draft.trim() === "")}
                onClick={() => void answer()}
              >
                {words.answer}
              </button>
            )}
            <button type="button" className="button" onClick={() => setMode("askBack")}>
              {words.askBack}
            </button>
            {!isInDialog &&
              (until === undefined ? (
                <LaterMenu id={question.id} />
              ) : (
                <button type="button" className="button" onClick={() => snooze(question.id, undefined)}>
                  {words.bringBack}
                </button>
              ))}
            {!isApproval && (
              <button type="button" className="button button-plain" onClick={() => setMode("dismiss")}>
                {words.dismiss} …
              </button>
            )}
            {!isInDialog && (
              <Link
                to={{ page: "dialog", projectId: question.projectId, dialogId: question.dialog.selfId, seq: question.seq }}
                className="button button-plain ml-auto"
              >
                {words.openWhere} ↗
              </Link>
            )}
          </div>
        )}
        {!mayAct && <p className="text-[13px] text-muted">{words.composer.viewer}</p>}
      </div>
      {!isOpen && <ClosedNote question={question} agent={agent} draft={draft} onSent={() => setDraft(undefined)} />}
      {!isInDialog && context && <LedToIt question={question} context={context} agentName={agentName} />}
      {mode === "dismiss" && (
        <WhyDialog
          title={words.dismissTitle}
          text={words.dismissText(agent)}
          label={words.dismissWhy}
          action={words.dismiss}
          onClose={() => setMode("none")}
          onGo={async (why) => {
            setMode("none");
            if (await deciding.act("dismiss", why === "" ? {} : { why })) decided(words.dismiss);
          }}
        />
      )}
      <p className="sr-only">{clock(Date.parse(question.askedAt), language)}</p>
    </article>
  );
}

/** Enter on a button is that button's. */
const isOnButton = (): boolean => {
  const tag = document.activeElement?.tagName;
  const role = document.activeElement?.getAttribute("role");
  return (tag === "BUTTON" && role !== "radio" && role !== "checkbox" && role !== "option") || tag === "A" || tag === "SUMMARY";
};

function Breadcrumb({
  question,
  names,
}: {
  readonly question: ProjectQuestion;
  readonly names: readonly { readonly name: string; readonly selfId: string }[];
}) {
  return (
    <nav aria-label={question.headline} className="flex flex-wrap items-center gap-x-1.5 text-[13px] text-muted">
      <Link to={{ page: "dialogs", projectId: question.projectId }} className="hover:text-ink hover:underline">
        {question.projectId}
      </Link>
      {names.map(({ name, selfId }, nth) => (
        <span key={selfId} className="flex items-center gap-1.5">
          <span aria-hidden="true">{nth === 0 ? "›" : "→"}</span>
          <Link to={{ page: "dialog", projectId: question.projectId, dialogId: selfId }} className="hover:text-ink hover:underline">
            {name}
          </Link>
        </span>
      ))}
    </nav>
  );
}

function Thread({
  question,
  agent,
  agentName,
  isAsking,
}: {
  readonly question: ProjectQuestion;
  readonly agent: string;
  readonly agentName: (id: string) => string;
  readonly isAsking: boolean;
}) {
  const words = useWords();
  const { thread } = question;
  if (thread.length === 0) return null;
  const isWaiting = thread.at(-1)?.by !== question.agentId && !isAsking;
  return (
    <section aria-label={words.thread} className="flex flex-col gap-2 rounded-xl border border-line bg-panel p-4">
      {thread.map(({ by, content, at }) => (
        <div key={at + by} className="flex gap-3">
          <span className="w-16 shrink-0 truncate text-[13px] font-medium text-muted">{by === question.agentId ? agentName(by) : by}</span>
          <div className="min-w-0 flex-1">
            <Markdown text={content} />
          </div>
        </div>
      ))}
      {isWaiting && question.status === "open" && <p className="text-[13px] text-muted">{words.askedBack(agent)}</p>}
    </section>
  );
}

function AskBack({
  agent,
  isSending,
  onSend,
  onCancel,
}: {
  readonly agent: string;
  readonly isSending: boolean;
  readonly onSend: (content: string) => Promise<void>;
  readonly onCancel: () => void;
}) {
  const words = useWords();
  const [text, setText] = useState("");
  return (
    <div className="flex flex-col gap-2">
      <GrowingField
        autoFocus
        value={text}
        aria-label={words.askBack}
        placeholder={words.askBackHint(agent)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && text.trim() !== "") {
            event.preventDefault();
            void onSend(text.trim());
          }
          if (event.key === "Escape") onCancel();
        }}
      />
      <div className="flex gap-2">
        <button
          type="button"
          className="button button-primary"
          disabled={isSending || text.trim() === ""}
          onClick={() => void onSend(text.trim())}
        >
          {words.askBack}
        </button>
        <button type="button" className="button button-plain" onClick={onCancel}>
          {words.cancel}
        </button>
      </div>
    </div>
  );
}

function LaterMenu({ id }: { readonly id: string }) {
  const words = useWords();
  const at = (hours: number, days: number) => {
    const date = new Date();
    date.setDate(date.getDate() + days);
    date.setHours(hours, 0, 0, 0);
    return date.getTime();
  };
  return (
    <Menu
      trigger={
        <button type="button" className="button">
          {words.later} ▾
        </button>
      }
      items={[
        { label: words.laterFor.hour, onSelect: () => snooze(id, Date.now() + 3_600_000) },
        { label: words.laterFor.evening, onSelect: () => snooze(id, Math.max(at(18, 0), Date.now() + 3_600_000)) },
        { label: words.laterFor.tomorrow, onSelect: () => snooze(id, at(9, 1)) },
        { label: words.laterFor.week, onSelect: () => snooze(id, at(9, 7)) },
      ]}
    />
  );
}

export function WhyDialog({
  title,
  text,
  label,
  action,
  onClose,
  onGo,
}: {
  readonly title: string;
  readonly text: ReactNode;
  readonly label?: string;
  readonly action: string;
  readonly onClose: () => void;
  readonly onGo: (why: string) => Promise<void> | void;
}) {
  const words = useWords();
  const [why, setWhy] = useState("");
  return (
    <Modal title={title} onClose={onClose}>
      <p className="text-muted">{text}</p>
      {label !== undefined && (
        <input className="field mt-3" aria-label={label} placeholder={label} value={why} onChange={(event) => setWhy(event.target.value)} />
      )}
      <div className="mt-4 flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          {words.cancel}
        </button>
        <button type="button" className="button button-primary" onClick={() => void onGo(why.trim())}>
          {action}
        </button>
      </div>
    </Modal>
  );
}

/** It was decided elsewhere. A draft survives, and may still be said. */
function ClosedNote({
  question,
  agent,
  draft,
  onSent,
}: {
  readonly question: ProjectQuestion;
  readonly agent: string;
  readonly draft: string;
  readonly onSent: () => void;
}) {
  const words = useWords();
  const now = useNow(1_000);
  const door = useDoor();
  const { answer, status } = question;
  const ago = answer ? duration(Math.max(0, now - Date.parse(answer.at)), words) : "";
  const what = answer
    ? [...(answer.choice ?? []), answer.content].filter((one, nth, all) => one !== "" && all.indexOf(one) === nth).join(" · ")
    : "";
  const note =
    status === "answered" && answer
      ? words.answeredElsewhere(answer.by, ago, what)
      : status === "dismissed"
        ? words.closedBy.dismissed(answer?.by ?? "–")
        : status === "withdrawn"
          ? words.closedBy.withdrawn(agent)
          : words.closedBy.expired;
  return (
    <div role="status" className="mt-4 rounded-xl border border-line bg-sunken px-4 py-3">
      <p>{note}</p>
      {draft.trim() !== "" && (
        <div className="mt-2">
          <p className="text-muted">{words.draftKept(agent)}</p>
          <blockquote className="mt-2 border-l-2 border-line pl-3 whitespace-pre-wrap">{draft}</blockquote>
          <div className="mt-2 flex gap-2">
            <button
              type="button"
              className="button"
              onClick={async () => {
                await door.change("POST", `${projectPath(question.projectId)}/dialogs/${question.dialog.selfId}/messages`, {
                  content: draft,
                  msgId: newMsgId(),
                });
                onSent();
              }}
            >
              {words.sendAsMessage}
            </button>
            <button type="button" className="button button-plain" onClick={onSent}>
              {words.dropDraft}
            </button>
          </div>
        </div>
      )}
    </div>
  );
}
