import { type Actions, useActions } from "@colloquy/react";
import { useState } from "react";
import { useWords } from "../../state/appearance.ts";
import { go } from "../../state/router.ts";

type ForkBody = NonNullable<Parameters<Actions["dialogs"]["fork"]>[1]>;

/** Copies a dialog and opens the copy. `problem` says why it was refused. */
export function useFork(projectId: string, dialogId: string) {
  const { fork } = useActions(projectId).dialogs;
  const words = useWords();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const copy = async (body: ForkBody) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const { rootId } = await fork(dialogId, body);
      go({ page: "dialog", projectId, dialogId: rootId });
    } catch (error) {
      setProblem(words.refused(error instanceof Error ? error.message : String(error)));
    }
    setBusy(false);
  };
  return { copy, isBusy, problem };
}
