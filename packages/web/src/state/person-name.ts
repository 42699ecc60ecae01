import { useConnection } from "@colloquy/react";
import { useCallback } from "react";
import { useWords } from "./appearance.ts";

/** A person's name on this page; the current user is "you", as on the command line. */
export function usePersonName(): (by: string) => string {
  const you = useWords().stateSentence.person;
  const { user } = useConnection();
  return useCallback((by) => (by === user ? you : by), [user, you]);
}
