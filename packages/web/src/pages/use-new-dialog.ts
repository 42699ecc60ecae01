import { useActions, useProject, useProjects } from "@colloquy/react";
import { useState } from "react";
import { usePictures } from "../parts/use-pictures.ts";
import { useWords } from "../state/appearance.ts";
import { draftKey, useKept } from "../state/kept.ts";
import { go } from "../state/router.ts";

/** The dialog that is about to be created. */
export function useNewDialog(given: string | undefined) {
  const words = useWords();
  const projects = useProjects() ?? [];
  const projectId = given ?? projects[0]?.id ?? "";
  const { dialogs } = useActions(projectId);
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
      const made = await dialogs.create({
        content: text.trim(),
        ...images.body,
        ...(chosen !== undefined && { agentId: chosen }),
        ...(title.trim() !== "" && { title: title.trim() }),
      });
      setText(undefined);
      images.clear();
      go({ page: "dialog", projectId, dialogId: made.rootId });
    } catch (error) {
      setProblem(words.refused(error instanceof Error ? error.message : String(error)));
    } finally {
      setSending(false);
    }
  };
  return {
    projects,
    projectId,
    text,
    setText,
    title,
    setTitle,
    chosen,
    setAgent,
    images,
    problem,
    start,
    agents: settings?.agents ?? [],
    canStart: !isSending && text.trim() !== "",
  };
}
