import { useIsPhone } from "../../frame/use-is-phone.ts";
import { Link } from "../../parts/link.tsx";
import { Menu } from "../../parts/menu.tsx";
import { useWords } from "../../state/appearance.ts";
import { go } from "../../state/router.ts";
import { ApprovalButtons } from "../answer/approval-buttons.tsx";
import { snooze, useLater } from "../later.ts";
import { LaterMenu } from "../later-menu.tsx";
import { whereAsked } from "./use-card-keys.ts";
import type { Card } from "./use-question-card.ts";

/** What can be done with a question. One of several cards keeps them at the bottom of the window. */
export function CardButtons({ card }: { readonly card: Card }) {
  const words = useWords();
  const until = useLater()[card.question.id];
  const isPhone = useIsPhone();
  const { question, isApproval, isInDialog, mode, setMode } = card;
  return (
    <div
      className={`-mx-1 flex flex-wrap items-center gap-2 bg-page px-1 py-2 max-sm:border-t max-sm:border-line ${card.isActive ? "sticky bottom-0" : ""}`}
    >
      <DecideButtons card={card} />
      {card.mayAskBack && (
        <button
          type="button"
          className={`button ${isApproval ? "max-sm:order-1" : ""}`}
          aria-keyshortcuts="b"
          onClick={() => setMode("askBack")}
        >
          {words.askBack}
        </button>
      )}
      {isApproval && <span aria-hidden="true" className="h-0 w-full sm:hidden" />}
      {!isInDialog &&
        (until === undefined ? (
          <LaterMenu id={question.id} isOpen={mode === "later"} setOpen={(isOpen) => setMode(isOpen ? "later" : "none")} />
        ) : (
          <button type="button" className="button" onClick={() => snooze(question.id, undefined)}>
            {words.bringBack}
          </button>
        ))}
      {isPhone ? <MoreMenu card={card} /> : <MoreButtons card={card} />}
    </div>
  );
}

/** Approve or deny, or answer; a form is sent by its own button. */
function DecideButtons({ card }: { readonly card: Card }) {
  const words = useWords();
  const { isSending, decide, mode, setMode, draft } = card;
  if (card.isApproval)
    return (
      <ApprovalButtons
        call={card.call}
        mode={mode}
        setMode={setMode}
        isSending={isSending || card.mustLook}
        onApprove={(body, said) => void decide("approve", body, said)}
        onDeny={(why) => void decide("deny", why === "" ? {} : { why }, words.approval.deny.replace(/ ?…+$/, ""))}
      />
    );
  if (card.hasForm) return null;
  const canAnswer = card.chosen.length > 0 || (card.hasField && draft.trim() !== "");
  return (
    <button type="button" className="button button-primary px-5" disabled={isSending || !canAnswer} onClick={() => void card.answer()}>
      {words.answer}
    </button>
  );
}

function MoreButtons({ card: { question, isApproval, isInDialog, setMode } }: { readonly card: Card }) {
  const words = useWords();
  return (
    <>
      {!isApproval && (
        <button type="button" className="button button-plain" onClick={() => setMode("dismiss")}>
          {words.dismiss} …
        </button>
      )}
      {!isInDialog && (
        <Link to={whereAsked(question)} className="button button-plain ml-auto">
          {words.openWhere} ↗
        </Link>
      )}
    </>
  );
}

/** The same on phones. */
function MoreMenu({ card }: { readonly card: Card }) {
  const words = useWords();
  const { question, isApproval, isInDialog, isOwner, mustLook, setMode } = card;
  return (
    <Menu
      align="end"
      trigger={
        <button type="button" className={`button ml-auto px-3 ${isApproval ? "max-sm:order-1" : ""}`} aria-label={words.more}>
          ⋯
        </button>
      }
      items={[
        ...(isApproval && isOwner && !mustLook ? [{ label: words.approval.always, onSelect: () => setMode("approveLike") }] : []),
        ...(isInDialog ? [] : [{ label: `${words.openWhere} ↗`, onSelect: () => go(whereAsked(question)) }]),
        ...(isApproval ? [] : [{ label: `${words.dismiss} …`, onSelect: () => setMode("dismiss") }]),
      ]}
    />
  );
}
