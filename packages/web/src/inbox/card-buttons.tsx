import { type ProjectQuestion, useConnection } from "@colloquy/react";
import type { Part } from "@colloquy/schema";
import { useIsPhone } from "../frame/use-is-phone.ts";
import { Link } from "../parts/link.tsx";
import { Menu } from "../parts/menu.tsx";
import { useWords } from "../state/appearance.ts";
import { go } from "../state/router.ts";
import { ApprovalButtons } from "./answer/approval-buttons.tsx";
import { snooze, useLater } from "./later.ts";
import { LaterMenu } from "./later-menu.tsx";
import type { Mode } from "./question-card.tsx";

/** What can be done with a question. */
export function CardButtons({
  question,
  call,
  mode,
  setMode,
  isInDialog,
  isSticky,
  isSending,
  isHeld,
  canAnswer,
  hasOwnSend,
  onAnswer,
  onApprove,
  onDeny,
}: {
  readonly question: ProjectQuestion;
  readonly call: Extract<Part, { call: string }> | undefined;
  readonly mode: Mode;
  readonly setMode: (mode: Mode) => void;
  readonly isInDialog: boolean;
  /** They stay at the foot while one reads. Of several cards only those of one do. */
  readonly isSticky: boolean;
  readonly isSending: boolean;
  /** There is more of it to be seen first. */
  readonly isHeld: boolean;
  readonly canAnswer: boolean;
  /** A form is sent by its own button. */
  readonly hasOwnSend: boolean;
  readonly onAnswer: () => void;
  readonly onApprove: (body: Readonly<Record<string, unknown>>, said: string) => void;
  readonly onDeny: (why: string) => void;
}) {
  const words = useWords();
  const until = useLater()[question.id];
  const isPhone = useIsPhone();
  const { role } = useConnection();
  const isApproval = question.kind === "approval";
  const where = { page: "dialog", projectId: question.projectId, dialogId: question.dialog.selfId, seq: question.seq } as const;
  return (
    <div
      className={`-mx-1 flex flex-wrap items-center gap-2 bg-page px-1 py-2 max-sm:border-t max-sm:border-line ${isSticky ? "sticky bottom-0" : ""}`}
    >
      {isApproval ? (
        <ApprovalButtons call={call} mode={mode} setMode={setMode} isSending={isSending || isHeld} onApprove={onApprove} onDeny={onDeny} />
      ) : (
        !hasOwnSend && (
          <button type="button" className="button button-primary px-5" disabled={isSending || !canAnswer} onClick={onAnswer}>
            {words.answer}
          </button>
        )
      )}
      <button
        type="button"
        className={`button ${isApproval ? "max-sm:order-1" : ""}`}
        aria-keyshortcuts="b"
        onClick={() => setMode("askBack")}
      >
        {words.askBack}
      </button>
      {isApproval && <span aria-hidden="true" className="h-0 w-full sm:hidden" />}
      {!isInDialog &&
        (until === undefined ? (
          <LaterMenu id={question.id} isOpen={mode === "later"} setOpen={(isOpen) => setMode(isOpen ? "later" : "none")} />
        ) : (
          <button type="button" className="button" onClick={() => snooze(question.id, undefined)}>
            {words.bringBack}
          </button>
        ))}
      {isPhone ? (
        <Menu
          align="end"
          trigger={
            <button type="button" className={`button ml-auto px-3 ${isApproval ? "max-sm:order-1" : ""}`} aria-label={words.more}>
              ⋯
            </button>
          }
          items={[
            ...(isApproval && role === "owner" && !isHeld
              ? [{ label: words.approval.always, onSelect: () => setMode("approveLike") }]
              : []),
            ...(isInDialog ? [] : [{ label: `${words.openWhere} ↗`, onSelect: () => go(where) }]),
            ...(isApproval ? [] : [{ label: `${words.dismiss} …`, onSelect: () => setMode("dismiss") }]),
          ]}
        />
      ) : (
        <>
          {!isApproval && (
            <button type="button" className="button button-plain" onClick={() => setMode("dismiss")}>
              {words.dismiss} …
            </button>
          )}
          {!isInDialog && (
            <Link to={where} className="button button-plain ml-auto">
              {words.openWhere} ↗
            </Link>
          )}
        </>
      )}
    </div>
  );
}
