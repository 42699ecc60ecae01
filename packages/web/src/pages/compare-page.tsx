import { useApi, useProject } from "@colloquy/react";
import type { ComparedSide, StoryRow } from "@colloquy/schema";
import { useEffect, useState } from "react";
import { Link } from "../parts/link.tsx";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";
import { money, short } from "../state/duration.ts";
import { usePersonName } from "../state/person-name.ts";

interface Props {
  readonly projectId: string;
  readonly dialogId: string;
  readonly other: string;
}

type Compared = Awaited<ReturnType<ReturnType<typeof useApi>["dialogs"]["compare"]>>;

/** Two dialogs side by side: the same until they part, then each for itself. */
export function ComparePage({ projectId, dialogId, other }: Props) {
  const words = useWords().compare;
  const api = useApi(projectId);
  const [compared, setCompared] = useState<Compared>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    api.dialogs
      .compare(dialogId, { with: other })
      .then(setCompared, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)));
  }, [api, dialogId, other]);
  const [left, right] = compared?.sides ?? [];
  return (
    <div className="min-w-0 flex-1 overflow-auto">
      <div className="mx-auto max-w-6xl px-4 py-6 sm:px-8">
        <h1 className="text-xl font-semibold tracking-tight">{words.title}</h1>
        <Problem text={problem} isBoxed className="mt-4" />
        {compared && left && right && (
          <>
            <p className="mt-3 text-[13px] text-muted">
              {compared.last ? words.same(compared.same, compared.last.text.slice(0, 120)) : words.apart}
              {left.rows.length + right.rows.length === 0 && ` ${words.nothing}`}
            </p>
            <div className="mt-4 grid grid-cols-2 gap-4">
              <Side projectId={projectId} side={left} only={compared.onlyFiles[0]} />
              <Side projectId={projectId} side={right} only={compared.onlyFiles[1]} />
            </div>
          </>
        )}
      </div>
    </div>
  );
}

function Side({ projectId, side, only }: { readonly projectId: string; readonly side: ComparedSide; readonly only: readonly string[] }) {
  const words = useWords().compare;
  const { rootId, title, rows, more, calls, files } = side;
  return (
    <section aria-label={rootId.slice(-6)} className="min-w-0">
      <h2 className="truncate font-medium">
        <Link to={{ page: "dialog", projectId, dialogId: rootId }} className="hover:underline">
          {rootId.slice(-6)} {title}
        </Link>
      </h2>
      <p className="mt-1 text-[13px] tabular-nums text-muted">
        {words.figures(side.steps, side.words, `${words.tokens(short(side.tokens))} · ${money(side.cost)}`)}
      </p>
      <p className="text-[13px] text-muted">
        {Object.entries(calls)
          .map(([tool, count]) => `${tool} ${count}`)
          .join(" · ")}
      </p>
      <ul className="text-[13px] text-muted">
        {files.map((file) => (
          <li key={file} className={`truncate ${only.includes(file) ? "font-medium text-ink" : ""}`}>
            {file} {only.includes(file) && words.only}
          </li>
        ))}
      </ul>
      <ol className="mt-3 flex flex-col gap-2">
        {rows.map((row) => (
          <Row key={`${row.seq} ${row.kind} ${row.text.slice(0, 40)}`} projectId={projectId} rootId={rootId} row={row} />
        ))}
      </ol>
      {more > 0 && <p className="mt-2 text-[13px] text-muted">{words.more(more)}</p>}
    </section>
  );
}

function Row({ projectId, rootId, row }: { readonly projectId: string; readonly rootId: string; readonly row: StoryRow }) {
  const words = useWords().compare;
  const { agentName } = useProject(projectId);
  const personName = usePersonName();
  const { kind, who, text, seq, dialog } = row;
  const name = kind === "message" || kind === "answer" ? personName(who) : agentName(who);
  return (
    <li className="rounded-lg border border-line bg-panel px-3 py-2">
      <Link to={{ page: "dialog", projectId, dialogId: rootId, seq }} className="text-xs text-muted hover:underline">
        {[name, words.kinds[kind], ...(dialog > 0 ? [words.side(dialog)] : [])].filter(Boolean).join(" · ")}
      </Link>
      <p
        className={`written max-h-60 overflow-auto text-[13px] whitespace-pre-wrap ${kind === "called" || kind === "result" ? "font-mono text-xs" : ""}`}
      >
        {text}
      </p>
    </li>
  );
}
