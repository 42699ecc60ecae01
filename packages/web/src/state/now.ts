import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 1_000);
  return () => {
    listeners.delete(listen);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, once a second for all who show it; coarser for those who need less. */
export const useNow = (everyMs = 1_000): number => useSyncExternalStore(subscribe, () => Math.floor(now / everyMs) * everyMs);
