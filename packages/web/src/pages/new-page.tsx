import { PictureButton, Pictures } from "../parts/pictures.tsx";
import { ProjectSelect } from "../parts/project-select.tsx";
import { useWords } from "../state/appearance.ts";
import { AgentChoice } from "./agent-choice.tsx";
import { useNewDialog } from "./use-new-dialog.ts";

/** Creates a dialog. */
export function NewPage({ projectId: given }: { readonly projectId: string | undefined }) {
  const words = useWords();
  const made = useNewDialog(given);
  const { projects, projectId, text, setText, title, setTitle, images, problem, start } = made;
  return (
    <div className="min-w-0 flex-1 overflow-y-auto">
      <form
        className="mx-auto flex max-w-2xl flex-col gap-5 px-4 py-8 sm:px-8"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        <h1 className="text-xl font-semibold tracking-tight">{words.create.title}</h1>
        {projects.length > 1 && (
          <label className="text-[13px] text-muted">
            {words.project}
            <ProjectSelect projects={projects} projectId={projectId} page="new" className="field mt-1 text-ink" />
          </label>
        )}
        <AgentChoice agents={made.agents} chosen={made.chosen} onChoose={made.setAgent} />
        <label className="text-[13px] text-muted">
          {words.create.what}
          <textarea
            autoFocus
            className="field mt-1 text-[15px] text-ink"
            rows={6}
            placeholder={words.create.hint}
            value={text}
            onChange={(event) => setText(event.target.value)}
            {...images.handlers}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing || event.keyCode === 229 || event.key !== "Enter" || !(event.ctrlKey || event.metaKey))
                return;
              event.preventDefault();
              void start();
            }}
          />
        </label>
        <Pictures pictures={images.pictures} onRemove={images.remove} />
        <label className="text-[13px] text-muted">
          {words.create.name}
          <input className="field mt-1 text-ink" value={title} onChange={(event) => setTitle(event.target.value)} />
        </label>
        {problem !== undefined && (
          <p role="alert" className="text-fail">
            {problem}
          </p>
        )}
        <div className="flex items-center gap-3">
          <button type="submit" className="button button-primary px-5" disabled={!made.canStart}>
            {words.create.start}
          </button>
          <PictureButton onChoose={images.add} />
          <kbd className="max-sm:hidden">Ctrl Enter</kbd>
        </div>
      </form>
    </div>
  );
}
