import type { ProjectQuestion } from "@colloquy/react";
import { memo, type ReactNode } from "react";
import { QuestionCard } from "../inbox/question-card.tsx";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { Link } from "../parts/link.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { SentImages } from "../parts/sent-images.tsx";
import { KindGlyph, StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { clock, day, duration } from "../state/duration.ts";
import { usePersonName } from "../state/person-name.ts";
import { pathOf } from "../state/router.ts";
import { useProject } from "@colloquy/react";
import { CallView } from "./call-view.tsx";
import type { Loaded } from "./dialog-column.tsx";
import { lineText } from "./line-text.ts";
import { nodeOf } from "./state-sentence.ts";
import type { AskRow, Row, SayingRow } from "./transcript.ts";

interface Props {
  readonly row: Row;
  readonly before: Row | undefined;
  readonly projectId: string;
  readonly dialog: Loaded;
  readonly question: ProjectQuestion | undefined;
  readonly isActiveQuestion: boolean;
  readonly isOpen: boolean;
  readonly isMarked: boolean;
  readonly onToggle: (key: string) => void;
  readonly onOpen: (dialogId: string) => void;
}

export const RowView = memo(
  function RowView(props: Props) {
    const { row, before, projectId, dialog, isMarked } = props;
    const isNewDay = before === undefined || new Date(before.at).toDateString() !== new Date(row.at).toDateString();
    const [language] = useLanguage();
    return (
      <div id={row.key} className={`group relative rounded-lg ${isMarked ? "bg-accent-soft" : ""}`}>
        {isNewDay && <p className="pt-4 text-center text-xs text-muted">{day(row.at, language)}</p>}
        <Body {...props} />
        {row.seq < Number.MAX_SAFE_INTEGER && <RowLink projectId={projectId} dialogId={dialog.view.selfId} seq={row.seq} />}
      </div>
    );
  },
  // Of the dialog only what a row shows: asks show the tree, calls the tools that run.
  (a, b) =>
    a.row === b.row &&
    a.before === b.before &&
    a.question === b.question &&
    a.isActiveQuestion === b.isActiveQuestion &&
    a.isOpen === b.isOpen &&
    a.isMarked === b.isMarked &&
    a.onToggle === b.onToggle &&
    (a.row.kind !== "ask" || a.dialog.tree === b.dialog.tree) &&
    (a.row.kind !== "call" || a.dialog.tools === b.dialog.tools),
);

function RowLink({ projectId, dialogId, seq }: { readonly projectId: string; readonly dialogId: string; readonly seq: number }) {
  const words = useWords();
  const path = pathOf({ page: "dialog", projectId, dialogId, seq });
  return (
    <a
      href={path}
      aria-label={words.copyLink}
      title={words.copyLink}
      className="absolute top-3 -left-4 px-1 text-muted opacity-0 group-hover:opacity-100 focus:opacity-100"
      onClick={(event) => {
        event.preventDefault();
        void navigator.clipboard?.writeText(new URL(path, location.href).href);
      }}
    >
      #
    </a>
  );
}

function Body(props: Props) {
  const { row, projectId, dialog, isOpen, onToggle, onOpen } = props;
  const words = useWords();
  const [language] = useLanguage();
  const { agentName } = useProject(projectId);
  const personName = usePersonName();
  switch (row.kind) {
    case "person":
      return (
        <div className="flex justify-end pt-4 pb-1">
          <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5">
            <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
              <span className="font-medium">{personName(row.by)}</span>
              {row.to.some((one) => one !== dialog.view.agentId) && <span>→ {row.to.map((one) => agentName(one)).join(", ")}</span>}
              <span className="tabular-nums">{clock(row.at, language)}</span>
              {row.isUnread && <span className="italic">{words.dialog.waitsToBeRead}</span>}
            </p>
            <Markdown text={row.text} />
            <SentImages projectId={projectId} dialogId={dialog.view.selfId} names={row.images} />
            {row.ack !== undefined && <p className="mt-1 border-t border-line pt-1 text-[13px] text-muted">{row.ack}</p>}
          </div>
        </div>
      );
    case "assignment":
      return (
        <div className="pt-4 pb-1">
          <div className="rounded-xl border border-line bg-panel px-4 py-3">
            <p className="flex items-center gap-2 text-[13px] text-muted">
              <AgentBadge agentId={row.from} name={agentName(row.from)} size={20} />
              <button type="button" className="font-medium hover:underline" onClick={() => onOpen(row.fromDialog)}>
                {row.isBack ? `${agentName(row.from)}: ${words.askBack}` : words.dialog.assignmentFrom(agentName(row.from))}
              </button>
              <span className="tabular-nums">{clock(row.at, language)}</span>
            </p>
            <div className="mt-1">
              <Markdown text={row.text} />
            </div>
          </div>
        </div>
      );
    case "saying":
      return (
        <AgentRow row={row} before={props.before} name={agentName(row.agent)}>
          <div className={row.isLive ? "caret" : ""}>
            <Markdown text={row.text} isLive={row.isLive} />
          </div>
          {row.isCut && <p className="mt-1 text-[13px] text-muted italic">{words.dialog.cut}</p>}
        </AgentRow>
      );
    case "thinking":
      return (
        <AgentRow row={row} before={props.before} name={agentName(row.agent)}>
          <button
            type="button"
            aria-expanded={isOpen}
            className={`text-[13px] text-muted hover:text-ink ${row.isLive ? "working" : ""}`}
            onClick={() => onToggle(row.key)}
          >
            {isOpen ? "▾" : "▸"} {row.isLive ? words.dialog.thinking : words.dialog.thought}
            {row.ms !== undefined && row.ms >= 1_000 && ` · ${duration(row.ms, words)}`}
          </button>
          {isOpen && (
            <div className="mt-1 border-l-2 border-line pl-3 text-muted">
              <Markdown text={row.text} isLive={row.isLive} />
            </div>
          )}
        </AgentRow>
      );
    case "calls":
      return (
        <Indented>
          <button
            type="button"
            aria-expanded={isOpen}
            className="py-0.5 text-[13px] text-muted hover:text-ink"
            onClick={() => onToggle(row.key)}
          >
            {isOpen ? "▾" : "▸"} {words.dialog.toolCalls(row.calls.length)}
            <span className="ml-2 font-mono text-xs">{[...new Set(row.calls.map(({ tool }) => tool))].join(", ")}</span>
          </button>
        </Indented>
      );
    case "call":
      return (
        <Indented>
          <CallView
            row={row}
            projectId={projectId}
            dialogId={dialog.view.selfId}
            running={dialog.tools[dialog.view.selfId]?.find(({ call }) => call === row.call)}
            isOpen={isOpen}
            onToggle={() => onToggle(row.key)}
          />
        </Indented>
      );
    case "ask":
      return (
        <Indented>
          <AskCard row={row} dialog={dialog} agentName={agentName} isOpen={isOpen} onToggle={() => onToggle(row.key)} onOpen={onOpen} />
        </Indented>
      );
    case "question":
      return (
        <Indented>
          {props.question ? (
            <div className="my-2 rounded-xl border-2 border-await-line bg-page px-4 pt-3 sm:px-5">
              <QuestionCard question={props.question} isActive={props.isActiveQuestion} isInDialog />
            </div>
          ) : (
            <div className="my-1 rounded-xl border border-line bg-panel px-4 py-2.5">
              <p className="flex items-baseline gap-2">
                <KindGlyph kind="question" />
                <span className="font-medium">{row.headline}</span>
              </p>
              {row.as !== "open" && (
                <p className="mt-0.5 pl-6 text-[13px]">
                  {row.as === "answered"
                    ? words.closedBy.answered(row.by ?? "–", row.answer ?? "")
                    : row.as === "dismissed"
                      ? words.closedBy.dismissed(row.by ?? "–")
                      : row.as === "withdrawn"
                        ? words.closedBy.withdrawn(agentName(row.agent))
                        : words.closedBy.expired}
                </p>
              )}
            </div>
          )}
        </Indented>
      );
    case "course":
      return (
        <div className="flex items-center gap-3 py-4 text-[13px] text-muted" role="group" aria-label={words.dialog.course(row.course)}>
          <span className="h-px flex-1 bg-line" />
          {words.dialog.course(row.course)} ·{" "}
          {row.isFull ? words.dialog.courseFull : words.dialog.courseBy(row.by ?? agentName(dialog.view.agentId))}
          {row.course > 1 && (
            <Link
              to={{ page: "dialog", projectId, dialogId: dialog.view.selfId, course: row.course - 1 }}
              className="underline underline-offset-2 hover:text-ink"
            >
              ↑ {words.dialog.course(row.course - 1)}
            </Link>
          )}
          <span className="h-px flex-1 bg-line" />
        </div>
      );
    case "line": {
      const text = lineText(row.event, words, agentName);
      return text === undefined ? null : <p className="py-1 pl-9 text-[13px] text-muted">{text}</p>;
    }
  }
}

const Indented = ({ children }: { readonly children: ReactNode }) => <div className="pl-9">{children}</div>;

/** Steps of one agent in a row are one block under its name. */
function AgentRow({
  row,
  before,
  name,
  children,
}: {
  readonly row: SayingRow;
  readonly before: Row | undefined;
  readonly name: string;
  readonly children: ReactNode;
}) {
  const [language] = useLanguage();
  const isFirst = !(before && "agent" in before && before.agent === row.agent) && before?.kind !== "calls";
  return (
    <div className={`flex gap-3 ${isFirst ? "pt-4" : "pt-1"} pb-1`}>
      <span className="w-6 shrink-0">{isFirst && <AgentBadge agentId={row.agent} name={name} />}</span>
      <div className="min-w-0 flex-1">
        {isFirst && (
          <p className="flex items-baseline gap-2">
            <span className="font-semibold">{name}</span>
            <span className="text-xs tabular-nums text-muted">{clock(row.at, language)}</span>
          </p>
        )}
        {children}
      </div>
    </div>
  );
}

/** An ask as a card: to whom, what, how it stands there, and the answer when it has come. */
function AskCard({
  row,
  dialog,
  agentName,
  isOpen,
  onToggle,
  onOpen,
}: {
  readonly row: AskRow;
  readonly dialog: Loaded;
  readonly agentName: (id: string) => string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly onOpen: (dialogId: string) => void;
}) {
  const words = useWords();
  const node = nodeOf(dialog.tree, row.to);
  const name = agentName(row.recipient);
  const isLong = row.text.length > 280 || row.text.split("\n").length > 4;
  return (
    <div className="my-1.5 overflow-hidden rounded-xl border border-line bg-panel">
      <div className="flex items-center gap-x-2 px-4 pt-2.5">
        <AgentBadge agentId={row.recipient} name={name} size={20} />
        <span className="min-w-0 truncate font-medium">{row.isBack ? words.dialog.askedBackWhom(name) : words.dialog.askedWhom(name)}</span>
        {node?.session !== undefined && <span className="text-xs text-muted">{words.dialog.session(node.session)}</span>}
        {node?.branch !== undefined && <span className="min-w-0 truncate text-xs text-muted">{words.dialog.branch(node.branch)}</span>}
        <span className="ml-auto flex shrink-0 items-center gap-1 text-[13px] whitespace-nowrap text-muted">
          {row.answer ? (
            row.answer.outcome === undefined ? (
              <>
                <span className="text-accent">✓</span> {duration(row.answer.at - row.at, words)}
              </>
            ) : (
              words.dialog.askOutcome[row.answer.outcome as keyof typeof words.dialog.askOutcome]
            )
          ) : (
            node &&
            !row.isBack && (
              <>
                <StateGlyph state={node.state} /> {row.isQueued ? words.dialog.queued : words.state[node.state]}
              </>
            )
          )}
        </span>
        {!row.isBack && (
          <button
            type="button"
            className="button button-plain -mr-2 min-h-7 px-2 text-[13px]"
            onClick={() => onOpen(row.to)}
            aria-label={`${words.dialog.openDialog}: ${name}`}
          >
            <span className="max-sm:sr-only">{words.dialog.openDialog}</span> →
          </button>
        )}
      </div>
      <div className={`px-4 pt-1 pb-2.5 text-muted ${isLong && !isOpen ? "line-clamp-4" : ""}`}>
        <Markdown text={row.text} />
      </div>
      {row.answer && row.answer.text !== "" && (
        <div className="border-t border-line px-4 py-2.5">
          <div className={isOpen ? "" : "line-clamp-4"}>
            <Markdown text={row.answer.text} />
          </div>
        </div>
      )}
      {(isLong || (row.answer?.text.length ?? 0) > 280) && (
        <button type="button" className="px-4 pb-2 text-[13px] text-muted hover:text-ink" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? words.showLess : words.showMore}
        </button>
      )}
    </div>
  );
}
