import type { ConnectionState } from "@colloquy/client";
import { useEffect, useMemo } from "react";
import { useClient, useObservable } from "./provider.ts";

/** What a page can say about its connection. `since` is when the state began, in milliseconds. */
export interface Connection {
  readonly state: "connecting" | "live" | "lost" | "refused";
  readonly since: number;
  /** Commands that are kept until the server can be reached. */
  readonly unsent: number;
  readonly user: string | undefined;
  readonly role: string | undefined;
}

const STATES = {
  connecting: "connecting",
  open: "live",
  reconnecting: "lost",
  closed: "lost",
  refused: "refused",
} as const satisfies Record<ConnectionState["status"], Connection["state"]>;

export function useConnection(): Connection {
  const client = useClient();
  useEffect(() => client.open(), [client]);
  const state = useObservable(client.state);
  const unsent = useObservable(client.unsent).length;
  return useMemo(() => {
    const { status, since, user, role } = state;
    return { state: STATES[status], since, unsent, user, role };
  }, [state, unsent]);
}
