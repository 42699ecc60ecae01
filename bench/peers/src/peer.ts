/** The durable storage of a system: new for each workload, and untouched when its process is killed. */
export interface Place {
  /** A separate folder. */
  readonly dir: string;
  /** A separate database in our PostgreSQL, if the system needs one. */
  readonly postgres: string;
  readonly restate: { readonly ingress: string; readonly admin: string; readonly port: number };
  /** The specialist's model was called again, for the work of this key. */
  resumed(key: string): void;
}

/** A system under test: a small adapter, written as its documentation recommends, over the same scripted model. */
export interface Peer {
  /** A lead asks a specialist, who asks a person. Resolves with the data needed to answer, once the question would survive a crash. */
  ask(key: string): Promise<string>;
  /** The person answers. Resolves when specialist and lead have finished and their results would survive a crash. */
  answer(ticket: string): Promise<void>;
  /** One more turn of a dialog: a person's message, a call of a small tool, its result, the words at the end. All of it would survive a crash. */
  turn(dialog: string, nth: number): Promise<void>;
  /** A clean shutdown. */
  close(): Promise<void>;
}

export type OpenPeer = (place: Place) => Promise<Peer>;
