import { useSyncExternalStore } from "react";

/** Values stored in this browser: drafts, read marks, appearance. Losing them loses no content. */
const listeners = new Map<string, Set<() => void>>();

function read(key: string): string | null {
  try {
    return localStorage.getItem(`colloquy.${key}`);
  } catch {
    return null; // storage is switched off
  }
}

export function keep(key: string, value: string | undefined): void {
  try {
    if (value === undefined || value === "") localStorage.removeItem(`colloquy.${key}`);
    else localStorage.setItem(`colloquy.${key}`, value);
  } catch {
    // storage is switched off or full
  }
  for (const listen of listeners.get(key) ?? []) listen();
}

export const kept = (key: string): string => read(key) ?? "";

/** A stored text and its setter; other tabs of the browser are updated. */
export function useKept(key: string): readonly [string, (value: string | undefined) => void] {
  const value = useSyncExternalStore(
    (listen) => {
      const own = listeners.get(key) ?? new Set();
      listeners.set(key, own);
      own.add(listen);
      const onStorage = (event: StorageEvent) => event.key === `colloquy.${key}` && listen();
      addEventListener("storage", onStorage);
      return () => {
        own.delete(listen);
        removeEventListener("storage", onStorage);
      };
    },
    () => kept(key),
  );
  return [value, (next) => keep(key, next)];
}

export const draftKey = (id: string): string => `draft.${id}`;
