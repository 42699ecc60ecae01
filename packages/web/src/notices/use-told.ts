import { useAllTasks, useNotices } from "@colloquy/react";
import { useMemo } from "react";
import { useKept } from "../state/kept.ts";
import { useNow } from "../state/now.ts";
import { type Told, told } from "./told.ts";

/** What this person is told and has not put away. Undefined until it is known. */
export function useTold(): readonly Told[] | undefined {
  const now = useNow(60_000);
  const notices = useNotices();
  const tasks = useAllTasks();
  const [putAway] = useKept("putAway");
  return useMemo(() => notices && told(notices, tasks, new Set(putAway.split(" ")), now), [notices, tasks, putAway, now]);
}
