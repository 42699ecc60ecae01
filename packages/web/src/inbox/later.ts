import { useMemo } from "react";
import { keep, kept, useKept } from "../state/kept.ts";

type Later = Readonly<Record<string, number>>;

function parsed(text: string): Later {
  try {
    return text === "" ? {} : (JSON.parse(text) as Later);
  } catch {
    return {}; // unreadable counts as none
  }
}

/** Snooze times by question id, in this browser only. */
export function useLater(): Later {
  const [text] = useKept("later");
  return useMemo(() => parsed(text), [text]);
}

export function snooze(questionId: string, until: number | undefined): void {
  const { [questionId]: _, ...rest } = parsed(kept("later"));
  const all = until === undefined ? rest : { ...rest, [questionId]: until };
  keep("later", Object.keys(all).length === 0 ? undefined : JSON.stringify(all));
}
