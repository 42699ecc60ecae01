import { useApi } from "@colloquy/react";
import { useState } from "react";
import { saveFile } from "../../parts/save-file.ts";
import { useWords } from "../../state/appearance.ts";

/** Saves a dialog's whole tree as a file. `problem` says why it was refused. */
export function useExport(projectId: string, rootId: string) {
  const api = useApi(projectId);
  const words = useWords();
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    setProblem(undefined);
    try {
      await saveFile(`${rootId.slice(-6)}.colloquy.gz`, await api.dialogs.export(rootId));
    } catch (error) {
      setProblem(words.refused(error instanceof Error ? error.message : String(error)));
    }
  };
  return { save: () => void save(), problem };
}
