import { useConnection } from "@colloquy/react";
import { useCallback } from "react";
import { useWords } from "./appearance.ts";

/** What a person is called on this page: whoever looks at it is "you", as on the command line. */
export function usePersonName(): (by: string) => string {
  const you = useWords().stateSentence.person;
  const { user } = useConnection();
  return useCallback((by) => (by === user ? you : by), [user, you]);
}
