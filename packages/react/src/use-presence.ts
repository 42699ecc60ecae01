import { useEffect } from "react";
import { useClient } from "./provider.ts";

/** Tells others that this person has a question open, and whether they are writing an answer. Undefined: nothing is open. */
export function usePresence(projectId: string, questionId: string | undefined, isWriting: boolean): void {
  const client = useClient();
  useEffect(() => {
    if (questionId === undefined) return;
    client.presence({ questionId, writing: isWriting }, projectId);
    return () => client.presence({ writing: false }, projectId);
  }, [client, projectId, questionId, isWriting]);
}
