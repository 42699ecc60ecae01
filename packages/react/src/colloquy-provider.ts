import { createElement, type ReactNode, useEffect, useState } from "react";
import { ClientDoor, type ServerPlace } from "./client-door.ts";
import type { HttpPlace } from "./http-door.ts";
import { DoorProvider } from "./provider.ts";
import { StreamDoor } from "./stream-door.ts";

/** Longer than what is shared outlives its last reader: a provider that is taken away and put back at once loses nothing. */
const LEAVE_MS = 3_000;

/** `url` is a server of its own (`colloquy serve`); `api` is where the program's own server has `project.fetch` or `handlers(project)`. */
export type ColloquyPlace = ServerPlace | HttpPlace;

/** Gives the components below it their server. It connects when one of them needs something, and never while a page is rendered on a server. */
export function ColloquyProvider({ children, ...place }: ColloquyPlace & { readonly children?: ReactNode }): ReactNode {
  const [door] = useState(() => ("url" in place ? new ClientDoor(place) : new StreamDoor(place)));
  const [leaving] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  useEffect(() => {
    clearTimeout(leaving.timer);
    return () => {
      leaving.timer = setTimeout(() => door.close(), LEAVE_MS);
    };
  }, [door, leaving]);
  return createElement(DoorProvider, { value: door }, children);
}
