import { type ProjectRow, useDialogs, useProject, useProjects } from "@colloquy/react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { useHits } from "../frame/palette.tsx";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { Link } from "../parts/link.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { duration, money } from "../state/duration.ts";
import { useListKeys } from "../state/list-keys.ts";
import { useNow } from "../state/now.ts";
import { ProjectSelect } from "../parts/project-select.tsx";
import type { DialogRow } from "@colloquy/schema";
import type { Words } from "../words.ts";

type Filter = "running" | "completed" | "archived" | "all";

/** The dialogs of a project; by title and, where the server can, by text. */
export function DialogsPage({ projectId }: { readonly projectId: string | undefined }) {
  const projects = useProjects();
  const chosen = projects?.find(({ id }) => id === projectId) ?? projects?.[0];
  const words = useWords();
  if (projects && !chosen) return <p className="m-auto text-muted">{words.notFound}</p>;
  return chosen ? <List project={chosen} projects={projects ?? []} /> : null;
}

function List({ project, projects }: { readonly project: ProjectRow; readonly projects: readonly ProjectRow[] }) {
  const words = useWords();
  const [language] = useLanguage();
  const now = useNow(1_000);
  const page = useRef<HTMLDivElement>(null);
  useListKeys(page);
  const [filter, setFilter] = useState<Filter>("running");
  const [text, setText] = useState("");
  const sought = useDeferredValue(text.trim().toLowerCase());
  const { rows, hasMore, more } = useDialogs(project.id);
  const { agentName } = useProject(project.id);
  const hits = useHits(
    projects.filter(({ id }) => id === project.id),
    text,
  );
  const shown = useMemo(
    () => rows?.filter(({ status, title }) => (filter === "all" || status === filter) && title.toLowerCase().includes(sought)),
    [rows, filter, sought],
  );
  return (
    <div ref={page} className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-4xl px-4 py-6 sm:px-8">
        <header className="flex flex-wrap items-center gap-3">
          <h1 className="text-xl font-semibold tracking-tight">{words.dialogs}</h1>
          {projects.length > 1 ? (
            <ProjectSelect projects={projects} projectId={project.id} page="dialogs" />
          ) : (
            <span className="text-muted">{project.name}</span>
          )}
          <Link to={{ page: "new", projectId: project.id }} className="button button-primary ml-auto">
            + {words.newDialog}
          </Link>
        </header>
        <div className="mt-4 flex flex-wrap items-center gap-2">
          <input
            type="search"
            className="field min-w-56 flex-1 sm:max-w-xs"
            aria-label={words.searchHint}
            placeholder={words.searchHint}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div role="group" aria-label={words.columns.state} className="flex gap-1 text-[13px]">
            {(["running", "completed", "archived", "all"] as const).map((one) => (
              <button
                key={one}
                type="button"
                aria-pressed={filter === one}
                onClick={() => setFilter(one)}
                className={`rounded-md px-2.5 py-1.5 ${filter === one ? "bg-hover font-medium" : "text-muted hover:text-ink"}`}
              >
                {words.filters[one]}
              </button>
            ))}
          </div>
        </div>
        <ul aria-label={words.dialogs} className="mt-4 overflow-hidden rounded-xl border border-line bg-panel empty:hidden">
          {shown?.map((row) => (
            <li key={row.rootId} className="border-b border-line last:border-0">
              <Link
                to={{ page: "dialog", projectId: project.id, dialogId: row.rootId }}
                className="flex items-center gap-3 px-4 py-3 hover:bg-hover"
              >
                <StateGlyph state={row.state} />
                <span className="min-w-0 flex-1">
                  <span className="written block truncate font-medium">{row.title}</span>
                  <span className={`block text-[13px] ${row.damaged === undefined ? "truncate text-muted" : "wrap-anywhere text-fail"}`}>
                    {row.damaged === undefined ? aboutRow(row, words) : words.damaged(row.damaged)}
                  </span>
                </span>
                <span className="flex items-center gap-2 text-[13px] text-muted max-sm:hidden">
                  <AgentBadge agentId={row.agentId} name={agentName(row.agentId)} size={20} />
                  {agentName(row.agentId)}
                </span>
                <span className="w-16 text-right text-[13px] tabular-nums text-muted max-sm:hidden">
                  {row.cost === undefined ? "–" : money(row.cost)}
                </span>
                <span
                  className="w-20 text-right text-[13px] tabular-nums text-muted"
                  title={new Date(row.lastModified).toLocaleString(language)}
                >
                  {words.ago(duration(now - Date.parse(row.lastModified), words))}
                </span>
              </Link>
            </li>
          ))}
        </ul>
        {shown?.length === 0 && hits.length === 0 && (
          <p className="mt-10 text-center text-muted">{rows?.length === 0 ? words.empty.dialogs : words.empty.noHits}</p>
        )}
        {hasMore && (
          <button type="button" className="button mt-3" onClick={more}>
            {words.loadMore}
          </button>
        )}
        {hits.length > 0 && (
          <ul aria-label={words.search} className="mt-4 flex flex-col gap-1">
            {hits.map((hit) => (
              <li key={`${hit.selfId} ${hit.seq}`}>
                <Link
                  to={{ page: "dialog", projectId: project.id, dialogId: hit.selfId, ...(hit.seq !== undefined && { seq: hit.seq }) }}
                  className="block rounded-lg px-4 py-2 hover:bg-hover"
                >
                  <span className="font-medium">{hit.title}</span>
                  <span className="block text-[13px] text-muted">
                    {hit.snippet.split(/[⟦⟧]/).map((piece, nth) =>
                      nth % 2 === 1 ? (
                        <mark key={nth} className="bg-accent-soft text-ink">
                          {piece}
                        </mark>
                      ) : (
                        piece
                      ),
                    )}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

const aboutRow = ({ state, questions, stopped }: DialogRow, words: Words): string =>
  [words.state[state], questions[0]?.headline, stopped].filter((one) => one !== undefined).join(" · ");
