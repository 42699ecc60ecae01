import { type RefObject, useEffect, useRef } from "react";
import { type Arming, isPlainKey, isTextField, pressed, showing, unarmed } from "./arming.ts";

/** Answer keys work in the list and the detail. */
export const ANSWER_KEYS = { "data-answer-keys": "" } as const;

/** Whether a key press may answer: in list or detail, by hand, not while typing (U-S2). */
export function isAnswerKey(event: KeyboardEvent): boolean {
  const focused = document.activeElement;
  if (!isPlainKey(event) || event.defaultPrevented || isTextField(focused as HTMLElement | null)) return false;
  if (document.querySelector("dialog[open], [role=menu]")) return false;
  return focused === null || focused === document.body || focused.closest("[data-answer-keys]") !== null;
}

/**
 * Passes on keys that may answer: the item was fully in view and unchanged, with no key pressed, for 400 ms (U-S3).
 * `onKey` says whether it used the key.
 */
export function useArmedKeys(isOn: boolean, version: string, area: RefObject<HTMLElement | null>, onKey: (key: string) => boolean): void {
  const arming = useRef<Arming>(unarmed);
  const keys = useRef(onKey);
  keys.current = onKey;

  useEffect(() => {
    const element = area.current;
    if (!isOn || !element) return;
    let isWhole = false;
    const look = () => {
      arming.current = showing(arming.current, isWhole && document.visibilityState === "visible" ? version : undefined, performance.now());
    };
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        // An item taller than the window counts as visible when it fills the window.
        isWhole = entry.intersectionRatio > 0.98 || entry.intersectionRect.height > (entry.rootBounds?.height ?? innerHeight) * 0.6;
        look();
      },
      { threshold: [0, 0.25, 0.5, 0.75, 0.99, 1] },
    );
    observer.observe(element);
    const onKeyDown = (event: KeyboardEvent) => {
      const next = pressed(arming.current, performance.now());
      arming.current = next;
      if (!next.isArmed || !isAnswerKey(event)) return;
      if (keys.current(event.key)) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    document.addEventListener("visibilitychange", look);
    return () => {
      observer.disconnect();
      removeEventListener("keydown", onKeyDown);
      document.removeEventListener("visibilitychange", look);
      arming.current = unarmed;
    };
  }, [isOn, version, area]);
}
