import { type ProjectNotice, type ProjectTask, useConnection, useProject } from "@colloquy/react";
import type { ReactNode } from "react";
import { GivenDiff } from "../parts/diff-view.tsx";
import { Link } from "../parts/link.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { partsOf, type NewsItem } from "./news.ts";

/** A notice: nothing to decide, it is done already. */
export function NoticeCard({ told, onPutAway }: { readonly told: NewsItem; readonly onPutAway?: () => void }) {
  const words = useWords();
  const { role } = useConnection();
  const away = onPutAway && (told.kind === "task" || role !== "viewer") && (
    <button type="button" className="button button-primary px-5" onClick={onPutAway}>
      {words.notices.putAway} <kbd className="max-sm:hidden">e</kbd>
    </button>
  );
  return told.kind === "task" ? <FinishedTask task={told.task} away={away} /> : <Done notice={told.notice} away={away} />;
}

function Done({ notice, away }: { readonly notice: ProjectNotice; readonly away: ReactNode }) {
  const words = useWords();
  const { agentName } = useProject(notice.projectId);
  const { headline, text, agentId, dialog, class: kind } = notice.notice;
  const { why, what, diff } = partsOf(text);
  return (
    <Card
      headline={headline}
      line={[words.notices.did(agentName(agentId)), words.tasks.classes[kind]]}
      at={Date.parse(notice.createdAt)}
      actions={
        <>
          {away}
          <Link to={{ page: "dialog", projectId: notice.projectId, dialogId: dialog.selfId }} className="button button-plain ml-auto">
            {words.notices.where} ↗
          </Link>
        </>
      }
    >
      {diff ? (
        <GivenDiff text={diff.text} title={diff.title === "" ? headline : diff.title} />
      ) : what === "" ? null : (
        <pre className="overflow-x-auto rounded-xl border border-line bg-panel px-4 py-3 font-mono text-[13px] leading-relaxed whitespace-pre-wrap">
          {what}
        </pre>
      )}
      {why !== "" && <p className="mt-3 text-[13px] whitespace-pre-wrap text-muted">{why}</p>}
    </Card>
  );
}

function FinishedTask({ task, away }: { readonly task: ProjectTask; readonly away: ReactNode }) {
  const words = useWords();
  return (
    <Card
      headline={task.title}
      line={[words.notices.finished, words.tasks.kinds[task.kind]]}
      at={Date.parse(task.closedAt ?? task.createdAt)}
      actions={
        <>
          {away}
          <Link to={{ page: "task", projectId: task.projectId, taskId: task.id }} className="button button-plain ml-auto">
            {words.notices.open} ↗
          </Link>
        </>
      }
    >
      {(task.summary ?? "") !== "" && <Markdown text={task.summary ?? ""} />}
    </Card>
  );
}

function Card({
  headline,
  line,
  at,
  actions,
  children,
}: {
  readonly headline: string;
  readonly line: readonly string[];
  readonly at: number;
  readonly actions: ReactNode;
  readonly children: ReactNode;
}) {
  const [language] = useLanguage();
  const now = useNow(60_000);
  return (
    <article aria-label={headline} className="mx-auto w-full max-w-[760px]">
      <p className="text-[13px] text-muted">{[...line, moment(at, now, language)].join(" · ")}</p>
      <h2 className="mt-2 mb-3 text-xl font-semibold leading-snug tracking-tight">{headline}</h2>
      {children}
      <div className="mt-4 flex flex-wrap items-center gap-2">{actions}</div>
    </article>
  );
}
