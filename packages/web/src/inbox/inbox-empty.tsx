import { type ProjectRow, type Settings, useDialogs, useProject, useProjects } from "@colloquy/react";
import { Link } from "../parts/link.tsx";
import { StateGlyph } from "../parts/state-glyph.tsx";
import { useWords } from "../state/appearance.ts";

/** The empty inbox: says who is working and what is stopped. */
export function InboxEmpty() {
  const words = useWords();
  const projects = useProjects();
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-6 px-6 py-[12vh]">
      {projects?.map((project) => (
        <Quiet key={project.id} project={project} isOnly={projects.length === 1} />
      ))}
      {projects?.length === 0 && <p className="text-center text-muted">{words.empty.never}</p>}
    </div>
  );
}

function Quiet({ project, isOnly }: { readonly project: ProjectRow; readonly isOnly: boolean }) {
  const words = useWords();
  const { rows } = useDialogs(project.id);
  const { settings, agentName } = useProject(project.id);
  if (!rows) return null;
  const atWork = rows.filter(({ state }) => state === "working" || state === "waiting");
  const stopped = rows.filter(({ state }) => state === "stopped");
  const isNew = rows.length === 0;
  return (
    <section className="text-center">
      {!isOnly && <h2 className="mb-2 font-semibold">{project.name}</h2>}
      {isNew && isOnly && (
        <>
          <h2 className="text-xl font-semibold tracking-tight">{words.first.title}</h2>
          <p className="mt-2 text-muted">{words.first.text}</p>
        </>
      )}
      {settings && <NotYet settings={settings} agentName={agentName} />}
      {!isNew && <p className="text-lg font-medium">{words.empty.allDone}</p>}
      {!isNew && <p className="mt-1 text-muted">{atWork.length > 0 ? words.empty.atWork(atWork.length) : words.empty.nothingAtWork}</p>}
      <ul className="mx-auto mt-4 flex max-w-sm flex-col gap-1 text-left">
        {[...atWork, ...stopped].slice(0, 8).map((row) => (
          <li key={row.rootId}>
            <Link
              to={{ page: "dialog", projectId: project.id, dialogId: row.rootId }}
              className="flex items-center gap-2 rounded-lg px-3 py-2 hover:bg-hover"
            >
              <StateGlyph state={row.state} />
              <span className="min-w-0 flex-1">
                <span className="block truncate">{row.title}</span>
                {row.stopped !== undefined && <span className="block text-xs text-muted">{row.stopped}</span>}
              </span>
              <span className="text-xs text-muted">{agentName(row.agentId)}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Link to={{ page: "new", projectId: project.id }} className="button button-primary mt-5">
        {words.empty.start}
      </Link>
    </section>
  );
}

/** Why the team cannot work: no model, or one that cannot be had. Each line says what to do. */
function NotYet({ settings, agentName }: { readonly settings: Settings; readonly agentName: (id: string) => string }) {
  const words = useWords();
  const hasNone = settings.defaultModel === undefined && settings.agents.every(({ model }) => model === undefined);
  const reasons = [...new Set(settings.problems.map(({ message }) => message))];
  if (reasons.length === 0) return null;
  return (
    <div className="my-4 rounded-xl border border-line bg-panel p-4 text-left">
      {hasNone ? (
        <p>{words.first.noModel}</p>
      ) : (
        reasons.map((reason) => {
          const agents = settings.problems.filter(({ message }) => message === reason).map(({ agentId }) => agentName(agentId));
          return (
            <div key={reason} className="mb-3">
              <p className="font-medium">{words.first.cannotWork(agents)}</p>
              <p>{reason}</p>
            </div>
          );
        })
      )}
      <p className="mt-3 text-muted">{words.first.orDemo}</p>
      <pre className="mt-1 rounded-lg bg-sunken px-3 py-2 font-mono text-[13px]">{words.first.demo}</pre>
    </div>
  );
}
