import { timingSafeEqual } from "node:crypto";
import { OWNER, type Caller } from "./caller.ts";
import { Allowance } from "./allowance.ts";
import { Problem } from "../http/problem.ts";
import type { ServedProject } from "../served-project.ts";
import { Sessions } from "./sessions.ts";
import { SignInLinks } from "./sign-in-links.ts";
import { tokenHash } from "./token-hash.ts";

/** Compares hashes, which are of one length, in a time that does not depend on where they differ. */
const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** What a request carries that says who sent it. */
export interface Credentials {
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
  readonly protocol: string | undefined;
  /** The page's half of a session. */
  readonly session: string | undefined;
}

/** Before the page's half of a session in a socket's subprotocol. A token has no dot. */
const SESSION_PROTOCOL = "session.";

const NEW_LINK = "Get a new one: colloquy open";

/** Wrong tokens from one address: a few at once, then one in a while. */
const WRONG_PER_SECOND = 1;
const WRONG_AT_ONCE = 20;
const ADDRESSES = 10_000;
/** More than a loopback client can ask for in earnest. */
const PER_SECOND = 10_000;
const AT_ONCE = 20_000;

/** A browser that has just been signed in. */
export interface SignedIn {
  readonly user: string;
  readonly cookie: string;
  readonly page: string;
}

/** Who may come in. */
export class Access {
  #ownHash: string;
  readonly #sessions: Sessions;
  readonly #links = new SignInLinks();
  readonly #cookieName: () => string;
  readonly #projects: () => readonly ServedProject[];
  readonly #now: () => number;
  readonly #wrong = new Map<string, Allowance>();
  readonly #users = new Map<string, Allowance>();

  constructor(
    token: string,
    cookieName: () => string,
    projects: () => readonly ServedProject[],
    { sessions = new Sessions(), now = () => performance.now() }: { readonly sessions?: Sessions; readonly now?: () => number } = {},
  ) {
    this.#now = now;
    this.#sessions = sessions;
    this.#ownHash = tokenHash(token);
    this.#cookieName = cookieName;
    this.#projects = projects;
  }

  /** Undefined without a token; throws for a wrong one, and says to wait when many came from this address. */
  async callerOf(credentials: Credentials, address: string): Promise<Caller | undefined> {
    const token = tokenIn(credentials);
    const hash = token === undefined ? this.#tokenOfSession(credentials) : tokenHash(token);
    return hash === undefined ? undefined : this.#callerBy(hash, address, "This token is not known here.");
  }

  /** Signs a browser in, by a link or by a token of its own. A link does so once. */
  async signIn(secret: string, address: string): Promise<SignedIn> {
    const link = this.#links.take(secret);
    if (link?.isUsed) throw new Problem("link_used", `This link has been used already. ${NEW_LINK}`);
    const hash = link?.token ?? tokenHash(secret);
    const { user } = await this.#callerBy(hash, address, `This link is invalid or has expired. ${NEW_LINK}`);
    return { user, ...this.#sessions.begin(hash) };
  }

  signOut({ cookie }: Pick<Credentials, "cookie">): void {
    const value = this.#cookieIn(cookie);
    if (value !== undefined) this.#sessions.end(value);
  }

  /** For the owner's page: a secret that signs one browser in. */
  newLink = (): string => this.#links.make(this.#ownHash);

  /** The server's own token is replaced: what was signed in with the old one is signed out. */
  rotate(token: string): void {
    const before = this.#ownHash;
    this.#ownHash = tokenHash(token);
    this.#sessions.endAllOf(before);
  }

  /** Browsers that are signed in, by the person. */
  async signedIn(): Promise<readonly { readonly user: string; readonly since: string; readonly lastUsed: string }[]> {
    const all = await Promise.all(
      this.#sessions.all().map(async ({ token, since, lastUsed }) => ({ user: (await this.#find(token))?.user, since, lastUsed })),
    );
    return all.flatMap(({ user, ...when }) => (user === undefined ? [] : [{ user, ...when }]));
  }

  async #callerBy(hash: string, address: string, problem: string): Promise<Caller> {
    // A right token is never locked out by others at the same address: on this machine everybody has the same.
    const caller = await this.#find(hash);
    if (caller) return caller;
    const wrong = this.#wrong.get(address);
    if (wrong && !wrong.hasAny) throw tooMany("Too many wrong tokens from this address.", 1_000 / WRONG_PER_SECOND);
    this.#countWrong(address);
    throw new Problem("unauthorized", problem);
  }

  /** How often this person may still ask. */
  allowanceOf({ user }: Caller): Allowance {
    const known = this.#users.get(user);
    if (known) return known;
    const allowance = new Allowance(PER_SECOND, AT_ONCE);
    this.#users.set(user, allowance);
    return allowance;
  }

  /** Both halves of a session, or nothing: a cookie alone may come from any port of this host. */
  #tokenOfSession({ cookie, protocol, session }: Credentials): string | undefined {
    const own = this.#cookieIn(cookie);
    const offered = offeredIn(protocol);
    const page = session ?? (offered?.startsWith(SESSION_PROTOCOL) ? offered.slice(SESSION_PROTOCOL.length) : undefined);
    return own === undefined || page === undefined ? undefined : this.#sessions.tokenOf(own, page);
  }

  #cookieIn(cookie: string | undefined): string | undefined {
    const pairs = (cookie ?? "").split(";").map((pair) => pair.trim().split("="));
    return pairs.find(([name]) => name === this.#cookieName())?.[1];
  }

  async #find(hash: string): Promise<Caller | undefined> {
    if (isSame(hash, this.#ownHash)) return OWNER;
    await this.#refresh();
    // Users belong to a project each; the same person with the same token in two of them is one.
    const found = this.#projects().flatMap(({ id, project }) =>
      project.agents.users.filter((user) => isSame(hash, user.tokenHash)).map((user) => ({ id, ...user })),
    );
    const [first] = found;
    if (!first) return undefined;
    // Asked each time: whoever is taken out of the settings is out at once.
    const roleIn = (projectId: string) =>
      this.#projects()
        .find(({ id }) => id === projectId)
        ?.project.agents.users.find((user) => isSame(hash, user.tokenHash))?.role;
    return { user: first.name, roleIn, refresh: () => this.#refresh() };
  }

  /** The settings as they are now. */
  async #refresh(): Promise<void> {
    for (const { project } of this.#projects()) await project.agents.refresh();
  }

  #countWrong(address: string): void {
    const allowance = this.#wrong.get(address) ?? new Allowance(WRONG_PER_SECOND, WRONG_AT_ONCE, this.#now);
    allowance.take();
    if (this.#wrong.size >= ADDRESSES) for (const [one, seen] of this.#wrong) if (seen.isFull) this.#wrong.delete(one);
    if (this.#wrong.size >= ADDRESSES) this.#wrong.clear();
    this.#wrong.set(address, allowance);
  }
}

/** What a socket offers besides the name of the protocol: a token, or the page's half of a session. */
const offeredIn = (protocol: string | undefined): string | undefined =>
  (protocol ?? "")
    .split(",")
    .map((one) => one.trim())
    .find((one) => one.startsWith("colloquy."))
    ?.slice("colloquy.".length);

function tokenIn({ authorization, protocol }: Credentials): string | undefined {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
  const offered = offeredIn(protocol);
  return bearer ?? (offered?.startsWith(SESSION_PROTOCOL) ? undefined : offered);
}

export const tooMany = (message: string, waitMs: number): Problem =>
  new Problem("rate_limited", `${message} Try again in ${Math.ceil(waitMs / 1_000)} s.`, {
    retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

/** A page of another site may not act in a person's name. Programs that are no browsers send no origin. */
export function demandOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined) return;
  const own = host === undefined ? [] : [`http://${host}`, `https://${host}`];
  if ([...own, ...allowed].includes(origin)) return;
  throw new Problem("wrong_origin", `Pages of ${origin.slice(0, 100)} may not use this server.`);
}
