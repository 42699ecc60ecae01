import { useProject, useQuestions } from "@colloquy/react";
import { useEffect, useRef, useState } from "react";
import { useWords } from "../state/appearance.ts";
import { kept } from "../state/kept.ts";
import { decidedHere } from "../inbox/card/use-question.ts";

const PAUSE_MS = 120_000;

/** Announces new questions: to screen readers, in the tab's title, and by browser notification if allowed and the page is hidden. */
export function Announcer() {
  const words = useWords();
  const { open } = useQuestions();
  const known = useRef<ReadonlySet<string>>(undefined);
  const toldAt = useRef(0);
  const notes = useRef(new Map<string, Notification>());
  const [said, say] = useState("");
  const newest = open?.at(-1);
  const { agentName } = useProject(newest?.projectId ?? "");
  useEffect(() => {
    if (!open) return;
    document.title = open.length > 0 ? `(${open.length}) Colloquy` : "Colloquy";
    const before = known.current;
    known.current = new Set(open.map(({ id }) => id));
    // Close the notification once its question is answered.
    for (const [id, note] of notes.current) {
      if (known.current.has(id)) continue;
      note.close();
      notes.current.delete(id);
    }
    if (!before) return;
    const fresh = open.filter(({ id }) => !before.has(id));
    const gone = [...before].filter((id) => !known.current?.has(id) && !decidedHere.has(id));
    const [first] = fresh;
    if (first) say(words.announce.question(first.headline));
    else if (gone.length > 0) say(words.announce.closed(""));
    if (!first || document.visibilityState === "visible" || kept("notify") !== "on" || Date.now() - toldAt.current < PAUSE_MS) return;
    if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
    toldAt.current = Date.now();
    const text = fresh.length > 1 ? words.notify.several(fresh.length) : words.notify.arrived(agentName(first.agentId), first.headline);
    const note = new Notification(first.projectId, { body: text, tag: "colloquy", icon: "/icon.svg" });
    note.addEventListener("click", () => globalThis.focus());
    notes.current.set(first.id, note);
  }, [open, words, agentName]);
  return (
    <div aria-live="polite" className="sr-only">
      {said}
    </div>
  );
}
