import { projectPath, Refusal, useDoor, useProject, useProjects } from "@colloquy/react";
import { useState } from "react";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { PictureButton, Pictures } from "../parts/pictures.tsx";
import { usePictures } from "../parts/use-pictures.ts";
import { useWords } from "../state/appearance.ts";
import { draftKey, useKept } from "../state/kept.ts";
import { newMsgId } from "@colloquy/schema";
import { go } from "../state/router.ts";
import { ProjectSelect } from "../parts/project-select.tsx";

/** Hand over something to do. */
export function NewPage({ projectId: given }: { readonly projectId: string | undefined }) {
  const words = useWords();
  const door = useDoor();
  const projects = useProjects() ?? [];
  const projectId = given ?? projects[0]?.id ?? "";
  const { settings } = useProject(projectId);
  const [text, setText] = useKept(draftKey(`new ${projectId}`));
  const [title, setTitle] = useState("");
  const [agent, setAgent] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const images = usePictures(setProblem);
  const chosen = agent ?? settings?.agents.find(({ isDefault }) => isDefault)?.id ?? settings?.agents[0]?.id;
  const start = async () => {
    if (text.trim() === "" || isSending) return;
    setSending(true);
    setProblem(undefined);
    try {
      const made = await door.change<{ rootId: string }>("POST", `${projectPath(projectId)}/dialogs`, {
        content: text.trim(),
        msgId: newMsgId(),
        ...images.body,
        ...(chosen !== undefined && { agentId: chosen }),
        ...(title.trim() !== "" && { title: title.trim() }),
      });
      setText(undefined);
      images.clear();
      go({ page: "dialog", projectId, dialogId: made.rootId });
    } catch (error) {
      setProblem(words.refused(error instanceof Refusal ? error.message : String(error)));
    } finally {
      setSending(false);
    }
  };
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
        <fieldset>
          <legend className="mb-2 text-[13px] text-muted">{words.create.whom}</legend>
          <div role="radiogroup" aria-label={words.create.whom} className="grid gap-2 sm:grid-cols-2">
            {settings?.agents.map(({ id, name, role }) => (
              <button
                key={id}
                type="button"
                role="radio"
                aria-checked={chosen === id}
                onClick={() => setAgent(id)}
                className={`flex items-start gap-3 rounded-xl border p-3 text-left ${chosen === id ? "border-accent bg-accent-soft ring-1 ring-accent" : "border-line bg-panel hover:border-edge"}`}
              >
                <AgentBadge agentId={id} name={name} size={28} />
                <span className="min-w-0">
                  <span className="block font-medium">{name}</span>
                  <span className="line-clamp-2 text-[13px] text-muted">{role}</span>
                </span>
              </button>
            ))}
          </div>
        </fieldset>
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
          <button type="submit" className="button button-primary px-5" disabled={isSending || text.trim() === ""}>
            {words.create.start}
          </button>
          <PictureButton onChoose={images.add} />
          <kbd className="max-sm:hidden">Ctrl Enter</kbd>
        </div>
      </form>
    </div>
  );
}
