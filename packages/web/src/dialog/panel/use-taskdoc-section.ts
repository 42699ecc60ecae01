import { Refused, useActions, useConnection } from "@colloquy/react";
import { useState } from "react";
import { useWords } from "../../state/appearance.ts";
import { draftKey, useKept } from "../../state/kept.ts";

export interface SectionProps {
  readonly name: "goals" | "constraints" | "progress";
  readonly rootId: string;
  readonly section: { readonly text: string; readonly shown: string } | undefined;
  readonly projectId: string;
  readonly reload: () => Promise<void>;
}

/** One section of a Taskdoc: read, or being edited. */
export function useTaskdocSection({ name, rootId, section, projectId, reload }: SectionProps) {
  const words = useWords();
  const { dialogs } = useActions(projectId);
  const { role } = useConnection();
  const [draft, setDraft] = useKept(draftKey(`taskdoc ${rootId} ${name}`));
  /** The version that was shown when editing began. */
  const [edited, setEdited] = useState<{ readonly shown: string | undefined }>();
  const [isSaving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string>();
  const close = () => {
    setEdited(undefined);
    setDraft(undefined);
    setProblem(undefined);
  };
  const save = async (): Promise<void> => {
    setProblem(undefined);
    setSaving(true);
    try {
      const shown = edited?.shown;
      await dialogs.changeMind(rootId, { selector: name, content: draft, ...(shown !== undefined && { shown }) });
      // The old text is not shown again in between. If reading fails, it is read once the connection is back.
      await reload().catch(() => undefined);
      close();
    } catch (error) {
      const isChanged = error instanceof Refused && error.code === "document_changed";
      setProblem(isChanged ? words.panel.changedMeanwhile : words.refused(error instanceof Error ? error.message : String(error)));
      await reload().catch(() => undefined);
    } finally {
      setSaving(false);
    }
  };
  const isChanged = edited !== undefined && !isSaving && edited.shown !== section?.shown;
  return {
    draft,
    setDraft,
    problem,
    isEditing: edited !== undefined,
    mayEdit: role !== "viewer",
    isSaving,
    /** Somebody else changed it since editing began. */
    isChanged,
    edit: () => {
      if (draft === "") setDraft(section?.text ?? "");
      setEdited({ shown: section?.shown });
    },
    /** If somebody else changed it, the first time only confirms that their text was seen. */
    save: () => (isChanged ? setEdited({ shown: section?.shown }) : void save()),
    close,
  };
}
