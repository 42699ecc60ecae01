import { useProjects } from "@colloquy/react";
import { ProjectSelect } from "../../parts/project-select.tsx";
import { useWords } from "../../state/appearance.ts";
import { Appearance } from "./appearance.tsx";
import { ProjectSettings } from "./project-settings.tsx";

/** The effective settings and where to edit them. Appearance is kept in this browser. */
export function SettingsPage({ projectId: given }: { readonly projectId: string | undefined }) {
  const words = useWords();
  const projects = useProjects();
  const projectId = given ?? projects?.[0]?.id;
  return (
    <div className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-8">
        <h1 className="text-xl font-semibold tracking-tight">{words.settings}</h1>
        <Appearance />
        {projects && projects.length > 1 && (
          <label className="flex items-center gap-3 border-t border-line pt-6 font-semibold">
            {words.project}
            <ProjectSelect projects={projects} projectId={projectId} page="settings" className="field w-auto! font-normal" />
          </label>
        )}
        {projectId !== undefined && <ProjectSettings projectId={projectId} />}
      </div>
    </div>
  );
}
