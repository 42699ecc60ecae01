import { type Actions, useActions } from "@colloquy/react";
import { useCallback, useState } from "react";
import { useWords } from "../state/appearance.ts";

type Verb = (dialogs: Actions["dialogs"]) => Promise<unknown>;

/** Does something to a dialog, such as `act(({ stop }) => stop(id))`. `problem` says why the last command was refused. */
export function useVerb(projectId: string) {
  const { dialogs } = useActions(projectId);
  const words = useWords();
  const [problem, setProblem] = useState<string>();
  const act = useCallback(
    async (verb: Verb): Promise<boolean> => {
      setProblem(undefined);
      try {
        await verb(dialogs);
        return true;
      } catch (error) {
        setProblem(words.refused(error instanceof Error ? error.message : String(error)));
        return false;
      }
    },
    [dialogs, words],
  );
  return { act, problem, clear: () => setProblem(undefined) };
}
