import { createContext, useContext, useSyncExternalStore } from "react";
import type { Connection, Door } from "./door.ts";
import type { Shared } from "./shared.ts";

const DoorContext = createContext<Door | undefined>(undefined);
/** Gives the pages below it their server. */
export const DoorProvider = DoorContext.Provider;

export function useDoor(): Door {
  const door = useContext(DoorContext);
  if (!door) throw new Error("There is no ColloquyProvider around this component.");
  return door;
}

export function useConnection(): Connection {
  const door = useDoor();
  return useSyncExternalStore(
    (listen) => door.onConnection(listen),
    () => door.connection(),
    () => door.connection(),
  );
}

const kept = new WeakMap<Door, Map<string, Shared<unknown>>>();

/** The one value under this key; made when it is first asked for. */
export function sharedOf<Value>(door: Door, key: string, make: () => Shared<Value>): Shared<Value> {
  const all = kept.get(door) ?? new Map<string, Shared<unknown>>();
  kept.set(door, all);
  const known = all.get(key) as Shared<Value> | undefined;
  if (known) return known;
  const made = make();
  all.set(key, made as Shared<unknown>);
  return made;
}

export const useShared = <Value>(shared: Shared<Value>): Value => useSyncExternalStore(shared.subscribe, shared.get, shared.get);
