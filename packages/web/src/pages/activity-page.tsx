import { type ProjectQuestion, useApi, useDialogs, useProject, useProjects } from "@colloquy/react";
import type { DialogRow, QuestionView } from "@colloquy/schema";
import { type Dispatch, type SetStateAction, useEffect, useMemo, useRef, useState } from "react";
import { answerWords } from "../inbox/answer/answer-words.ts";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { Link } from "../parts/link.tsx";
import { KindGlyph, StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { clock, day } from "../state/duration.ts";
import { useListKeys } from "../state/list-keys.ts";
import { usePersonName } from "../state/person-name.ts";
import type { Route } from "../state/router.ts";
import type { Words } from "../words.ts";

interface Happened {
  readonly key: string;
  readonly at: number;
  readonly projectId: string;
  readonly to: Route;
  readonly glyph: React.ReactNode;
  readonly title: string;
  readonly about: string;
  readonly agentId: string;
}

interface Activity {
  readonly dialogs: readonly DialogRow[];
  readonly answered: readonly QuestionView[];
}

const MAX_ROWS = 200;

/** Recent activity of all projects: dialogs and decisions, newest first, live. */
export function ActivityPage() {
  const words = useWords();
  const [language] = useLanguage();
  const projects = useProjects();
  const personName = usePersonName();
  const page = useRef<HTMLDivElement>(null);
  useListKeys(page);
  const [found, setFound] = useState<Readonly<Record<string, Activity>>>({});
  const days = useMemo(
    () => byDay(Object.entries(found).flatMap(([projectId, one]) => happenedIn(projectId, one, words, personName))),
    [found, words, personName],
  );
  return (
    <div ref={page} className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-3xl px-4 py-6 sm:px-8">
        <header className="flex items-center gap-3">
          <h1 className="text-xl font-semibold tracking-tight">{words.activity}</h1>
          <Link to={{ page: "effects" }} className="button ml-auto">
            {words.effects.title}
          </Link>
        </header>
        {projects?.map(({ id }) => (
          <Following key={id} projectId={id} onFound={setFound} />
        ))}
        {days.map(({ at, all }) => (
          <section key={at} aria-label={day(at, language)}>
            <h2 className="mt-6 mb-2 text-[13px] font-semibold text-muted">{day(at, language)}</h2>
            <ol className="overflow-hidden rounded-xl border border-line bg-panel">
              {all.map((one) => (
                <Item key={one.key} happened={one} hasProjects={(projects?.length ?? 0) > 1} />
              ))}
            </ol>
          </section>
        ))}
        {projects && Object.keys(found).length === projects.length && days.length === 0 && (
          <p className="mt-10 text-center text-muted">{words.empty.activity}</p>
        )}
      </div>
    </div>
  );
}

function Item({ happened, hasProjects }: { readonly happened: Happened; readonly hasProjects: boolean }) {
  const [language] = useLanguage();
  const { agentName } = useProject(happened.projectId);
  return (
    <li className="border-b border-line last:border-0">
      <Link to={happened.to} className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover">
        <span className="w-11 shrink-0 text-xs tabular-nums text-muted">{clock(happened.at, language)}</span>
        {happened.glyph}
        <span className="min-w-0 flex-1">
          <span className="block truncate font-medium">{happened.title}</span>
          <span className="block truncate text-[13px] text-muted">{happened.about}</span>
        </span>
        <span className="flex shrink-0 items-center gap-2 text-[13px] text-muted max-sm:hidden">
          {hasProjects && <span>{happened.projectId}</span>}
          <AgentBadge agentId={happened.agentId} name={agentName(happened.agentId)} size={20} />
        </span>
      </Link>
    </li>
  );
}

/** One project; there may be any number of them. */
function Following({
  projectId,
  onFound,
}: {
  readonly projectId: string;
  readonly onFound: Dispatch<SetStateAction<Readonly<Record<string, Activity>>>>;
}) {
  const api = useApi(projectId);
  const { rows } = useDialogs(projectId);
  // Closed questions that this page never saw as open show in the state of their dialog.
  const standing = rows?.map(({ rootId, state, questions }) => [rootId, state, ...questions.map(({ id }) => id)].join(" ")).join();
  const [answered, setAnswered] = useState<readonly QuestionView[]>([]);
  useEffect(() => {
    let isGone = false;
    api.questions
      .list({ status: "answered", limit: 100 })
      .then(({ questions }) => !isGone && setAnswered(questions))
      .catch(() => undefined); // the connection bar says so
    return () => {
      isGone = true;
    };
  }, [api, standing]);
  useEffect(() => {
    if (rows) onFound((before) => ({ ...before, [projectId]: { dialogs: rows, answered } }));
  }, [rows, answered, projectId, onFound]);
  return null;
}

function happenedIn(projectId: string, { dialogs, answered }: Activity, words: Words, nameOf: (by: string) => string): readonly Happened[] {
  return [
    ...dialogs.map((row) => ({
      key: row.rootId,
      at: Date.parse(row.lastModified),
      projectId,
      to: { page: "dialog", projectId, dialogId: row.rootId } as const,
      glyph: <StateGlyph state={row.state} />,
      title: row.title,
      about: [words.state[row.state], row.stopped ?? row.questions[0]?.headline].filter((one) => one !== undefined).join(" · "),
      agentId: row.agentId,
    })),
    ...answered.flatMap(({ id, kind, headline, agentId, answer }: Omit<ProjectQuestion, "projectId">) =>
      answer
        ? [
            {
              key: id,
              at: Date.parse(answer.at),
              projectId,
              to: { page: "inbox", projectId, questionId: id } as const,
              // Amber means that somebody is awaited.
              glyph: <KindGlyph kind={kind} isOver />,
              title: headline,
              about: `${nameOf(answer.by)}: ${answerWords(answer, words) || "✓"}`,
              agentId,
            },
          ]
        : [],
    ),
  ];
}

function byDay(all: readonly Happened[]): readonly { readonly at: number; readonly all: readonly Happened[] }[] {
  const days = new Map<string, Happened[]>();
  for (const one of all.toSorted((a, b) => b.at - a.at).slice(0, MAX_ROWS)) {
    const name = new Date(one.at).toDateString();
    days.set(name, [...(days.get(name) ?? []), one]);
  }
  return [...days.values()].map((some) => ({ at: some[0]?.at ?? 0, all: some }));
}
