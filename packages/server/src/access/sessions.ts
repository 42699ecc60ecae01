import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { writeSecret } from "../server-file.ts";

/** A signed-in browser. Only hashes are stored, so the file gives no access. */
const Session = z.strictObject({
  /** Hashes of the value in the cookie and of the one that the page keeps. */
  cookie: z.string(),
  page: z.string(),
  /** Hash of the token that started the session; the session ends with that token. */
  token: z.string(),
  since: z.string(),
  /** The day of its last request. */
  lastUsed: z.string(),
});
export type Session = z.infer<typeof Session>;

const SessionFile = z.strictObject({ sessions: z.array(Session), seal: z.string() });

const MAX_SESSIONS = 500;
/** Per token, so that repeated sign-ins cannot sign other people out. */
const MAX_PER_TOKEN = 50;

const hashOf = (value: string): string => createHash("sha256").update(value).digest("hex");
const secret = (): string => randomBytes(32).toString("base64url");

/**
 * Signed-in browsers. Each has two values: one in a cookie, which scripts cannot read, and one in the page's storage,
 * which other ports of the same host cannot read. A request needs both; neither gives access alone.
 */
export class Sessions {
  readonly #file: string | undefined;
  #key: string;
  readonly #now: () => number;
  /** By the hash of the cookie's value, least recently used first. */
  readonly #byCookie: Map<string, Session>;

  /** `key`: the server's own token, which signs the file. Without a file, sessions end with the process. */
  constructor({
    file,
    key = "",
    now = Date.now,
  }: { readonly file?: string | undefined; readonly key?: string; readonly now?: () => number } = {}) {
    this.#file = file;
    this.#key = key;
    this.#now = now;
    this.#byCookie = new Map(readSessions(file, key).map((session) => [session.cookie, session]));
  }

  begin(token: string): { readonly cookie: string; readonly page: string } {
    const [cookie, page] = [secret(), secret()];
    const since = new Date(this.#now()).toISOString();
    this.#put({ cookie: hashOf(cookie), page: hashOf(page), token, since, lastUsed: since.slice(0, 10) });
    return { cookie, page };
  }

  /** The hash of the session's token. */
  tokenOf(cookie: string, page: string): string | undefined {
    const session = this.#byCookie.get(hashOf(cookie));
    if (!session || session.page !== hashOf(page)) return undefined;
    const today = new Date(this.#now()).toISOString().slice(0, 10);
    // Written once a day, so that requests don't wait for the disk.
    if (session.lastUsed !== today) this.#put({ ...session, lastUsed: today });
    return session.token;
  }

  has(cookie: string): boolean {
    return this.#byCookie.has(hashOf(cookie));
  }

  end(cookie: string): void {
    if (this.#byCookie.delete(hashOf(cookie))) this.#save();
  }

  /** Ends all sessions of the server's token, which `key` replaces. */
  rotate(token: string, key: string): void {
    this.#key = key;
    for (const { cookie, token: of } of this.#byCookie.values()) if (of === token) this.#byCookie.delete(cookie);
    this.#save();
  }

  all(): readonly Session[] {
    return [...this.#byCookie.values()];
  }

  #put(session: Session): void {
    this.#byCookie.delete(session.cookie);
    this.#byCookie.set(session.cookie, session);
    const own = this.all().filter(({ token }) => token === session.token);
    for (const { cookie } of own.slice(0, -MAX_PER_TOKEN)) this.#byCookie.delete(cookie);
    for (const oldest of this.#byCookie.keys()) {
      if (this.#byCookie.size <= MAX_SESSIONS) break;
      this.#byCookie.delete(oldest);
    }
    this.#save();
  }

  #save(): void {
    if (this.#file !== undefined)
      writeSecret(this.#file, `${JSON.stringify({ sessions: this.all(), seal: sealOf(this.all(), this.#key) })}\n`);
  }
}

/** Only a program with the server's token can sign the file. */
const sealOf = (sessions: readonly Session[], key: string): string =>
  createHmac("sha256", key).update(JSON.stringify(sessions)).digest("hex");

/** If the file is missing, unreadable or not ours, everybody is signed out and signs in again. */
function readSessions(file: string | undefined, key: string): readonly Session[] {
  if (file === undefined) return [];
  try {
    const { sessions, seal } = SessionFile.parse(JSON.parse(readFileSync(file, "utf8")));
    return seal === sealOf(sessions, key) ? sessions : [];
  } catch {
    return []; // unreadable
  }
}
