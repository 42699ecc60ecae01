import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { writeSecret } from "../server-file.ts";

/** A browser that is signed in. Only hashes are kept: the file opens nothing. */
const Session = z.strictObject({
  /** Of the value in the cookie, and of the one that the page keeps. */
  cookie: z.string(),
  page: z.string(),
  /** Of the token that it was begun with: it ends with that token. */
  token: z.string(),
  since: z.string(),
  /** The day of its last request. */
  lastUsed: z.string(),
});
export type Session = z.infer<typeof Session>;

const SessionFile = z.strictObject({ sessions: z.array(Session) });

const MAX_SESSIONS = 500;

const hashOf = (value: string): string => createHash("sha256").update(value).digest("hex");
const secret = (): string => randomBytes(32).toString("base64url");

/**
 * Browsers that are signed in. Each holds two values: one in a cookie, which scripts cannot read, and one in the page's storage,
 * which other ports of the same host cannot read. A request needs both, so neither of them opens anything alone.
 */
export class Sessions {
  readonly #file: string | undefined;
  readonly #now: () => number;
  /** By the hash of the cookie's value; those used last come last. */
  readonly #byCookie: Map<string, Session>;

  /** Without a file they end with the process. */
  constructor(file?: string, now: () => number = Date.now) {
    this.#file = file;
    this.#now = now;
    this.#byCookie = new Map(readSessions(file).map((session) => [session.cookie, session]));
  }

  begin(token: string): { readonly cookie: string; readonly page: string } {
    const [cookie, page] = [secret(), secret()];
    const since = new Date(this.#now()).toISOString();
    this.#put({ cookie: hashOf(cookie), page: hashOf(page), token, since, lastUsed: since.slice(0, 10) });
    return { cookie, page };
  }

  /** The hash of the token that the session stands for. */
  tokenOf(cookie: string, page: string): string | undefined {
    const session = this.#byCookie.get(hashOf(cookie));
    if (!session || session.page !== hashOf(page)) return undefined;
    const today = new Date(this.#now()).toISOString().slice(0, 10);
    // Once a day is often enough for people, and no request waits for a disk.
    if (session.lastUsed !== today) this.#put({ ...session, lastUsed: today });
    return session.token;
  }

  end(cookie: string): void {
    if (this.#byCookie.delete(hashOf(cookie))) this.#save();
  }

  /** All sessions of a token end, because it was replaced. */
  endAllOf(token: string): void {
    for (const { cookie, token: of } of this.#byCookie.values()) if (of === token) this.#byCookie.delete(cookie);
    this.#save();
  }

  all(): readonly Session[] {
    return [...this.#byCookie.values()];
  }

  #put(session: Session): void {
    this.#byCookie.delete(session.cookie);
    this.#byCookie.set(session.cookie, session);
    for (const oldest of this.#byCookie.keys()) {
      if (this.#byCookie.size <= MAX_SESSIONS) break;
      this.#byCookie.delete(oldest);
    }
    this.#save();
  }

  #save(): void {
    if (this.#file !== undefined) writeSecret(this.#file, `${JSON.stringify({ sessions: this.all() })}\n`);
  }
}

/** A file that is missing or cannot be read signs everybody out, which harms nobody. */
function readSessions(file: string | undefined): readonly Session[] {
  if (file === undefined) return [];
  try {
    return SessionFile.parse(JSON.parse(readFileSync(file, "utf8"))).sessions;
  } catch {
    return []; // people sign in again
  }
}
