import { type ProjectRow, useProjects } from "@colloquy/react";
import { useRef } from "react";
import { Link } from "../parts/link.tsx";
import { NotFound } from "../parts/not-found.tsx";
import { ProjectSelect } from "../parts/project-select.tsx";
import { useWords } from "../state/appearance.ts";
import { useListKeys } from "../state/list-keys.ts";
import { DialogRow } from "./dialog-row.tsx";
import { SearchHits } from "./search-hits.tsx";
import { type DialogListState, FILTERS, useDialogList } from "./use-dialog-list.ts";

/** A project's dialogs, searchable by title and text. */
export function DialogsPage({ projectId }: { readonly projectId: string | undefined }) {
  const projects = useProjects();
  const chosen = projects?.find(({ id }) => id === projectId) ?? projects?.[0];
  if (projects && !chosen) return <NotFound />;
  return chosen ? <List project={chosen} projects={projects ?? []} /> : null;
}

function List({ project, projects }: { readonly project: ProjectRow; readonly projects: readonly ProjectRow[] }) {
  const words = useWords();
  const page = useRef<HTMLDivElement>(null);
  useListKeys(page);
  const list = useDialogList(project);
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
        <Filters list={list} />
        <ul aria-label={words.dialogs} className="mt-4 overflow-hidden rounded-xl border border-line bg-panel empty:hidden">
          {list.shown?.map((row) => (
            <DialogRow key={row.rootId} projectId={project.id} row={row} />
          ))}
        </ul>
        {list.hasNone && <p className="mt-10 text-center text-muted">{list.isEmpty ? words.empty.dialogs : words.empty.noHits}</p>}
        {list.hasMore && (
          <button type="button" className="button mt-3" onClick={list.more}>
            {words.loadMore}
          </button>
        )}
        {list.hits.length > 0 && <SearchHits projectId={project.id} hits={list.hits} />}
      </div>
    </div>
  );
}

function Filters({ list: { text, setText, filter, setFilter } }: { readonly list: DialogListState }) {
  const words = useWords();
  return (
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
        {FILTERS.map((one) => (
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
  );
}
