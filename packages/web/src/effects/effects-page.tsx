import { type ProjectRow, useProjects } from "@colloquy/react";
import { NotFound } from "../parts/not-found.tsx";
import { ProjectSelect } from "../parts/project-select.tsx";
import { useWords } from "../state/appearance.ts";
import { EffectItem } from "./effect-item.tsx";
import { useEffectList } from "./use-effect-list.ts";

/** The ledger of a project or a dialog: what the team has done, newest first. */
export function EffectsPage({ projectId, dialogId }: { readonly projectId: string | undefined; readonly dialogId: string | undefined }) {
  const projects = useProjects();
  const chosen = projects?.find(({ id }) => id === projectId) ?? (projectId === undefined ? projects?.[0] : undefined);
  if (projects && !chosen) return <NotFound />;
  return chosen ? <Ledger key={chosen.id} project={chosen} projects={projects ?? []} dialogId={dialogId} /> : null;
}

interface Props {
  readonly project: ProjectRow;
  readonly projects: readonly ProjectRow[];
  readonly dialogId: string | undefined;
}

function Ledger({ project, projects, dialogId }: Props) {
  const words = useWords().effects;
  const { loadMore } = useWords();
  const { rows, hasMore, isComplete, more, isUnknown, showUnknown } = useEffectList(project.id, dialogId);
  return (
    <div className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto max-w-4xl px-4 py-6 sm:px-8">
        <header className="flex flex-wrap items-center gap-3">
          <h1 className="text-xl font-semibold tracking-tight">{words.title}</h1>
          {projects.length > 1 && dialogId === undefined ? (
            <ProjectSelect projects={projects} projectId={project.id} page="effects" />
          ) : (
            <span className="text-muted">{dialogId === undefined ? project.name : words.ofDialog(dialogId.slice(-6))}</span>
          )}
          <button
            type="button"
            aria-pressed={isUnknown}
            className={`ml-auto rounded-md px-2.5 py-1.5 text-[13px] ${isUnknown ? "bg-hover font-medium" : "text-muted hover:text-ink"}`}
            onClick={() => showUnknown(!isUnknown)}
          >
            {words.onlyUnknown}
          </button>
        </header>
        <ul aria-label={words.title} className="mt-4 overflow-hidden rounded-xl border border-line bg-panel empty:hidden">
          {rows?.map((row) => (
            <EffectItem key={row.call} projectId={project.id} effect={row} />
          ))}
        </ul>
        {rows?.length === 0 && (
          <p className="mt-10 text-center text-muted">{!isComplete ? words.reading : isUnknown ? words.noneUnknown : words.none}</p>
        )}
        {hasMore && (
          <button type="button" className="button mt-3" onClick={more}>
            {loadMore}
          </button>
        )}
      </div>
    </div>
  );
}
