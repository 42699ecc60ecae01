import type { Refused } from "@colloquy/schema";
import { type Observable, Observed } from "../observable.ts";
import type { ProjectListener, ProjectWatch } from "./project-channel.ts";
import type { TreeListener, TreeWatch } from "./tree-channel.ts";

/** The person as whom a server knows this client; undefined until it has said so. */
interface Person {
  readonly user: string | undefined;
  readonly role: string | undefined;
}

/** The state of the connection, for display. `since`: when the status began, in milliseconds. */
export type ConnectionState = { readonly since: number } & Person &
  (
    | { readonly status: "connecting" }
    | { readonly status: "open" }
    | {
        readonly status: "reconnecting";
        /** Counted since the connection was lost. */
        readonly attempt: number;
        readonly inMs: number;
      }
    | { readonly status: "closed" }
    /** The token was refused, so reconnecting would not help. */
    | { readonly status: "refused"; readonly error: Refused }
  );

type Change<State> = State extends unknown ? Omit<State, "since" | "user" | "role"> & Partial<Person> : never;

/** Shows what somebody has open. */
export interface OpenQuestion {
  readonly questionId?: string;
  readonly writing?: boolean;
}

/**
 * How news reaches a client: over one WebSocket, or over server-sent events. A watch survives broken connections and continues where it was.
 * Without a project, the only one that is served.
 */
export interface Transport {
  readonly state: Observable<ConnectionState>;
  /** Connects, unless it is connected. */
  open(): void;
  watchTree(projectId: string | undefined, watch: TreeWatch, listener: TreeListener): () => void;
  watchProject(projectId: string | undefined, watch: ProjectWatch, listener: ProjectListener): () => void;
  /** Tells the other clients, if the transport can. */
  presence(projectId: string | undefined, open: OpenQuestion): void;
  /** Skips the pause before the next attempt. */
  retryNow(): void;
  /** Disconnects. `open` connects again. */
  close(): void;
}

/** Remembers when its status began, and who the person is. */
export class ObservedState extends Observed<ConnectionState> {
  readonly #now: () => number;

  constructor(now: () => number) {
    super({ status: "connecting", since: now(), user: undefined, role: undefined });
    this.#now = now;
  }

  change(next: Change<ConnectionState>): void {
    const { status, since, user, role } = this.getSnapshot();
    this.set({ user, role, ...next, since: next.status === status ? since : this.#now() });
  }
}
