import { Client, type Observable } from "@colloquy/client";
import { createContext, createElement, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";

/** Longer than stores outlive their last reader, so that a provider that is unmounted and remounted at once loses nothing. */
const LEAVE_MS = 3_000;

/** A standalone server, such as `colloquy serve`. */
export interface ServerPlace {
  /** Where the server is, such as `http://127.0.0.1:5740`. */
  readonly url: string;
  /** Not needed in a page of the server itself, where a person is signed in. */
  readonly token?: string | undefined;
  /** In such a page: returns its current half of the session. */
  readonly session?: (() => string | undefined) | undefined;
}

/** Where your own server mounts `project.fetch` or `handlers(project)`. */
export interface HttpPlace {
  /** The path before `/projects`. */
  readonly api: string;
  /** Called for each request, for example for a token that changes. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

export type ColloquyPlace = ServerPlace | HttpPlace;

const ClientContext = createContext<Client | undefined>(undefined);

/** Provides the server to the components below. It connects when one of them needs something, and never during server-side rendering. */
export function ColloquyProvider({ children, ...place }: ColloquyPlace & { readonly children?: ReactNode }): ReactNode {
  const [client] = useState(() => new Client(place));
  const [leaving] = useState<{ timer?: ReturnType<typeof setTimeout> }>({});
  useEffect(() => {
    clearTimeout(leaving.timer);
    return () => {
      leaving.timer = setTimeout(() => client.pause(), LEAVE_MS);
    };
  }, [client, leaving]);
  return createElement(ClientContext.Provider, { value: client }, children);
}

/** The client of the provider, for what no hook offers. */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("There is no ColloquyProvider around this component.");
  return client;
}

export const useObservable = <Value>({ subscribe, getSnapshot }: Observable<Value>): Value =>
  useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
