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

/** The current time, updated once a second, or less often on request. */
export const useNow = (everyMs = 1_000): number => useSyncExternalStore(subscribe, () => Math.floor(now / everyMs) * everyMs);
