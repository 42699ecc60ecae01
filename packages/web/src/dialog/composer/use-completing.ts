import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { completed, soughtAt } from "./completion.ts";
import { optionId } from "./completion-list.tsx";
import { type Completion, useCompletions } from "./use-completions.ts";

interface Field {
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  readonly draft: string;
  readonly setDraft: (text: string) => void;
  readonly mentions: readonly string[];
  readonly mention: (agentId: string) => void;
}

/** The list that opens below a name being written: its offers, its keys, and what picking one does to the text. */
export function useCompleting(projectId: string, { ref, draft, setDraft, mentions, mention }: Field) {
  const listId = useId();
  const [picked, setPicked] = useState(0);
  const [caret, setCaret] = useState(0);
  const [isClosed, setClosed] = useState(false);
  /** Caret position to set once the field shows the new text, before the next key arrives. */
  const caretTo = useRef<number>(undefined);
  useLayoutEffect(() => {
    const place = caretTo.current;
    if (place === undefined) return;
    caretTo.current = undefined;
    ref.current?.focus();
    ref.current?.setSelectionRange(place, place);
  });
  const sought = isClosed ? undefined : soughtAt(draft, caret);
  const offered = useCompletions(projectId, sought, mentions);
  const at = Math.min(picked, offered.length - 1);
  const pick = ({ kind, value, label }: Completion) => {
    if (!sought) return;
    const isAddress = kind === "agent" && sought.isAtStart;
    if (isAddress) mention(value);
    const { text, caret: place } = completed(draft, sought, isAddress ? "" : kind === "agent" ? `@${label}` : value);
    setDraft(text);
    setCaret(place);
    setPicked(0);
    caretTo.current = place;
  };
  /** Returns whether the key was for the list. */
  const onKey = (event: KeyboardEvent): boolean => {
    const { key } = event;
    if (offered.length === 0) return false;
    if (key === "Escape") setClosed(true);
    else if (key === "Enter" || key === "Tab") {
      const chosen = offered[at];
      if (chosen) pick(chosen);
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      setPicked((offered.length + at + (key === "ArrowDown" ? 1 : -1)) % offered.length);
    } else return false;
    if (key !== "Escape") event.preventDefault();
    return true;
  };
  const onWrite = (text: string, place: number) => {
    setDraft(text);
    setCaret(place);
    setClosed(false);
    setPicked(0);
  };
  const hasOffers = offered.length > 0;
  const aria = { "aria-controls": hasOffers ? listId : undefined, "aria-activedescendant": hasOffers ? optionId(listId, at) : undefined };
  return { listId, offered, at, pick, onKey, onWrite, setCaret, aria };
}
