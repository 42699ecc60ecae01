import { projectPath, Refusal, useDoor } from "@colloquy/react";
import { useCallback, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { newMsgId } from "@colloquy/schema";

/** What a person does to a dialog. `problem` says why the last one was refused. */
export function useVerb(projectId: string, dialogId: string) {
  const door = useDoor();
  const words = useWords();
  const [problem, setProblem] = useState<string>();
  const act = useCallback(
    async (verb: string, body: Readonly<Record<string, unknown>> = {}, method: "POST" | "PATCH" | "DELETE" = "POST"): Promise<boolean> => {
      setProblem(undefined);
      try {
        await door.change(method, `${projectPath(projectId)}/dialogs/${dialogId}${verb === "" ? "" : `/${verb}`}`, {
          ...body,
          msgId: newMsgId(),
        });
        return true;
      } catch (error) {
        setProblem(words.refused(error instanceof Refusal ? error.message : String(error)));
        return false;
      }
    },
    [door, projectId, dialogId, words],
  );
  return { act, problem, clear: () => setProblem(undefined) };
}
