import { type ProjectQuestion, useProject } from "@colloquy/react";
import { useEffect } from "react";
import { KindGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { duration, moment } from "../state/duration.ts";
import { draftKey, useKept } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import { go } from "../state/router.ts";
import { answerWords } from "./answer/answer-words.ts";
import type { Bundle } from "./inbox-order.ts";
import { snooze } from "./later.ts";
import { markRead } from "./read-marks.ts";
import { useSwipe } from "./use-swipe.ts";

const HOUR_MS = 3_600_000;

export function InboxRow({
  bundle,
  isSelected,
  hasProjects,
  writers,
  onSelect,
}: {
  readonly bundle: Bundle;
  readonly isSelected: boolean;
  readonly hasProjects: boolean;
  readonly writers: readonly string[];
  readonly onSelect: () => void;
}) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const [question] = bundle.questions;
  const { agentName } = useProject(question.projectId);
  const [draft] = useKept(draftKey(question.id));
  const [read] = useKept("read");
  const isUnread = !read.includes(question.id);
  useEffect(() => {
    if (isSelected) markRead(question.id);
  }, [isSelected, question.id]);
  const waited = now - Date.parse(question.askedAt);
  const deadline = question.deadline === undefined ? undefined : Date.parse(question.deadline);
  const isDueSoon = deadline !== undefined && deadline - now < (deadline - Date.parse(question.askedAt)) / 4;
  // Waiting dialogs and the deadline are never truncated; the location may be.
  const from = [...(hasProjects ? [question.projectId] : []), question.title].join(" › ");
  const more = [
    ...(question.waitingBehind > 0 ? [words.waitBehind(question.waitingBehind)] : []),
    ...(deadline !== undefined && !isDueSoon ? [words.due(moment(deadline, now, language))] : []),
  ];
  const swipe = useSwipe(
    () => {
      for (const { id } of bundle.questions) snooze(id, Date.now() + HOUR_MS);
    },
    () => go({ page: "dialog", projectId: question.projectId, dialogId: question.dialog.selfId, seq: question.seq }),
  );
  return (
    <li data-row={bundle.key} className="relative overflow-hidden" {...swipe.handlers}>
      {swipe.offset !== 0 && (
        <span
          aria-hidden="true"
          className={`absolute inset-0 flex items-center px-5 text-[13px] ${swipe.offset > 0 ? "justify-start" : "justify-end"} ${swipe.isFar ? "bg-accent-soft font-semibold text-accent" : "bg-sunken text-muted"}`}
        >
          {swipe.offset > 0 ? `${words.later}: ${words.laterFor.hour}` : `${words.openWhere} ↗`}
        </span>
      )}
      <button
        type="button"
        aria-current={isSelected ? "true" : undefined}
        onClick={onSelect}
        style={swipe.offset === 0 ? undefined : { transform: `translateX(${swipe.offset}px)` }}
        className={`relative flex h-16 w-full touch-pan-y flex-col justify-center gap-0.5 border-b border-line bg-page px-4 text-left ${isSelected ? "bg-accent-soft! shadow-[inset_3px_0_0_var(--accent)]" : "hover:bg-hover"}`}
      >
        <span className="flex w-full items-baseline gap-2">
          <KindGlyph kind={question.kind} />
          <span className={`written min-w-0 flex-1 truncate ${isUnread ? "font-semibold" : ""}`}>{question.headline}</span>
          {bundle.questions.length > 1 && (
            <span className="rounded-full bg-hover px-1.5 text-xs tabular-nums">{bundle.questions.length}</span>
          )}
          <span
            className={`shrink-0 text-xs tabular-nums ${isDueSoon ? "font-semibold text-await" : waited > HOUR_MS ? "font-semibold" : "text-muted"}`}
          >
            {isDueSoon && deadline !== undefined ? words.due(moment(deadline, now, language)) : duration(waited, words)}
          </span>
        </span>
        <span className="flex w-full gap-2 pl-6 text-xs text-muted">
          <span className="flex min-w-0">
            <span className="written truncate">{`${question.program ?? agentName(question.agentId)} · ${from}`}</span>
            {more.length > 0 && <span className="shrink-0 whitespace-pre"> · {more.join(" · ")}</span>}
          </span>
          {draft !== "" && <span className="shrink-0 italic">{words.draft}</span>}
          {writers.length > 0 && <span className="shrink-0 text-accent">{words.isWriting([...new Set(writers)])}</span>}
        </span>
      </button>
    </li>
  );
}

/** Just decided by somebody else: a grey line that disappears. */
export function GhostRow({ question }: { readonly question: ProjectQuestion }) {
  const words = useWords();
  const now = useNow(1_000);
  const { answer, headline } = question;
  if (!answer) return null;
  const what = answerWords(answer, words) || headline;
  return (
    <li className="flex items-center justify-between gap-3 border-b border-line bg-sunken px-4 py-2 text-xs text-muted">
      <span className="truncate">{words.closedBy.answered(answer.by, what)}</span>
      <span className="shrink-0">{words.ago(duration(Math.max(0, now - Date.parse(answer.at)), words))}</span>
    </li>
  );
}
