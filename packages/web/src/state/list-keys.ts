import { type RefObject, useEffect } from "react";
import { isPlainKey, isTextField } from "../inbox/answer/arming.ts";

const STEPS: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

/** True if no control has the focus, so that keys belong to the page. */
export const isFocusNowhere = (): boolean => {
  const focused = document.activeElement;
  return focused === null || focused === document.body || focused.id === "main";
};

/** Keys move through the links of a list from anywhere on the page; Enter follows a link as usual. */
export function useListKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = STEPS[event.key];
      const focused = document.activeElement as HTMLElement | null;
      if (step === undefined || !isPlainKey(event) || event.defaultPrevented || isTextField(focused)) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      const links = [...(list.current?.querySelectorAll<HTMLElement>("li a[href]") ?? [])];
      const place = focused === null ? -1 : links.indexOf(focused);
      // Arrow keys keep scrolling if something else has the focus.
      if (event.key.length > 1 && place < 0 && !isFocusNowhere()) return;
      const next = links[place < 0 ? 0 : Math.max(0, Math.min(links.length - 1, place + step))];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [list]);
}
