/** Where a system keeps what it must not lose: all of it new for each workload, and left as it is when its process is killed. */
export interface Place {
  /** A folder of its own on the disk. */
  readonly dir: string;
  /** A database of its own in a PostgreSQL of ours, where the system needs one. */
  readonly postgres: string;
  readonly restate: { readonly ingress: string; readonly admin: string; readonly port: number };
  /** The specialist's model was called again, for the work of this key. */
  resumed(key: string): void;
}

/** A system under test: one small adapter, written as its documentation says, over the same scripted model. */
export interface Peer {
  /** A lead asks a specialist, who asks a person. Resolves once the question would survive a crash; gives what is needed to answer it. */
  ask(key: string): Promise<string>;
  /** The person answers. Resolves when specialist and lead have finished, and that would survive a crash. */
  answer(ticket: string): Promise<void>;
  /** One more turn of a dialog: a person's message, a call of a small tool, its result, the words at the end. All of it would survive a crash. */
  turn(dialog: string, nth: number): Promise<void>;
  /** Leaves in order. */
  close(): Promise<void>;
}

export type OpenPeer = (place: Place) => Promise<Peer>;
