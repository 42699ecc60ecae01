import { keep, kept } from "../state/kept.ts";

/** Marks as read, in this browser; it never means handled. */
export function markRead(id: string): void {
  const all = kept("read").split(" ").filter(Boolean);
  if (!all.includes(id)) keep("read", [...all.slice(-400), id].join(" "));
}
