import { timingSafeEqual } from "node:crypto";
import type { Caller } from "./caller.ts";
import { Allowance } from "./allowance.ts";
import { Refused } from "@colloquy/schema";
import type { ServedProject } from "../served-project.ts";
import { Sessions } from "./sessions.ts";
import { SignInLinks } from "./sign-in-links.ts";
import { tokenHash } from "./token-hash.ts";

/** Compares hashes of equal length in constant time. */
const isSame = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** The credentials in a request. */
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

/** Wrong tokens from one address: a short burst, then a slow rate. */
const MAX_WRONG_PER_SECOND = 1;
const MAX_WRONG_AT_ONCE = 20;
const MAX_ADDRESSES = 10_000;
/** More than any well-behaved loopback client sends. */
const MAX_PER_SECOND = 10_000;
const MAX_AT_ONCE = 20_000;

/** A browser that has just been signed in. */
export interface SignedIn {
  readonly user: string;
  readonly cookie: string;
  readonly page: string;
}

/** Decides who may use the server. */
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

  /** Undefined without a token. Throws for a wrong one, with a time to wait after many from this address. */
  async callerOf(credentials: Credentials, address: string): Promise<Caller | undefined> {
    const token = tokenIn(credentials);
    const session = token === undefined ? this.#sessionOf(credentials) : undefined;
    const hash = token === undefined ? session?.token : tokenHash(token);
    if (hash === undefined) return undefined;
    const node = session ? undefined : this.#node(hash);
    if (node) return node;
    const caller = await this.#callerBy(hash, address, "This token is not known here.");
    // Streams and sockets of a browser end with its session.
    return session ? { ...caller, roleIn: (id) => (this.#sessions.has(session.cookie) ? caller.roleIn(id) : undefined) } : caller;
  }

  /** Signs a browser in with a link, which works once, or with a token. */
  async signIn(secret: string, address: string): Promise<SignedIn> {
    const link = this.#links.take(secret);
    if (link?.isUsed) throw new Refused({ code: "link_used", message: `This link has been used already. ${NEW_LINK}` });
    const hash = link?.token ?? tokenHash(secret);
    const { user } = await this.#callerBy(hash, address, `This link is invalid or has expired. ${NEW_LINK}`);
    return { user, ...this.#sessions.begin(hash) };
  }

  signOut({ cookie }: Pick<Credentials, "cookie">): void {
    for (const value of this.#cookiesIn(cookie)) this.#sessions.end(value);
  }

  /** For the owner's page: a secret that signs in one browser. */
  newLink = (): string => this.#links.make(this.#ownHash);

  /** Replaces the server's own token and signs out every browser that used the old one. */
  rotate(token: string): void {
    const before = this.#ownHash;
    this.#ownHash = tokenHash(token);
    this.#sessions.rotate(before, token);
  }

  /** Signed-in browsers, by person. */
  async signedIn(): Promise<readonly { readonly user: string; readonly since: string; readonly lastUsed: string }[]> {
    const all = await Promise.all(
      this.#sessions.all().map(async ({ token, since, lastUsed }) => ({ user: (await this.#find(token))?.user, since, lastUsed })),
    );
    return all.flatMap(({ user, ...when }) => (user === undefined ? [] : [{ user, ...when }]));
  }

  async #callerBy(hash: string, address: string, problem: string): Promise<Caller> {
    // Wrong tokens never lock out a right one: everybody on this machine shares an address.
    const caller = await this.#find(hash);
    if (caller) return caller;
    const wrong = this.#wrong.get(address);
    if (wrong && !wrong.hasAny) throw tooMany("Too many wrong tokens from this address.", 1_000 / MAX_WRONG_PER_SECOND);
    this.#countWrong(address);
    throw new Refused({ code: "unauthorized", message: problem });
  }

  /** How many more requests this person may send. */
  allowanceOf({ user }: Caller): Allowance {
    const known = this.#users.get(user);
    if (known) return known;
    const allowance = new Allowance(MAX_PER_SECOND, MAX_AT_ONCE);
    this.#users.set(user, allowance);
    return allowance;
  }

  /** Requires both halves of a session: a cookie alone may come from any port of this host. */
  #sessionOf({ cookie, protocol, session }: Credentials): { readonly cookie: string; readonly token: string } | undefined {
    const offered = offeredIn(protocol);
    const page = session ?? (offered?.startsWith(SESSION_PROTOCOL) ? offered.slice(SESSION_PROTOCOL.length) : undefined);
    if (page === undefined) return undefined;
    for (const own of this.#cookiesIn(cookie)) {
      const token = this.#sessions.tokenOf(own, page);
      if (token !== undefined) return { cookie: own, token };
    }
    return undefined;
  }

  /** Every value of our cookie. A page on another port may have set one with the same name and a longer path, which comes first. */
  #cookiesIn(cookie: string | undefined): readonly string[] {
    const pairs = (cookie ?? "").split(";").map((pair) => pair.trim().split("="));
    return pairs.flatMap(([name, value]) => (name === this.#cookieName() && value !== undefined ? [value] : []));
  }

  async #find(hash: string): Promise<Caller | undefined> {
    if (isSame(hash, this.#ownHash)) return this.#owner(hash);
    await this.#refresh();
    // Each project has its own users. The same token in two projects is one person, perhaps with two names.
    const found = this.#projects().flatMap(({ id, project }) =>
      project.agents.users.filter((user) => isSame(hash, user.tokenHash)).map((user) => ({ id, ...user })),
    );
    const [first] = found;
    if (!first) return undefined;
    // Checked each time, so removing a user from the settings takes effect at once.
    const userIn = (projectId: string) =>
      this.#projects()
        .find(({ id }) => id === projectId)
        ?.project.agents.users.find((user) => isSame(hash, user.tokenHash));
    return {
      user: first.name,
      nameIn: (projectId) => userIn(projectId)?.name ?? first.name,
      roleIn: (projectId) => userIn(projectId)?.role,
      refresh: () => this.#refresh(),
    };
  }

  /** It sees what a viewer sees, in its own project. */
  #node(hash: string): Caller | undefined {
    const ids = this.#projects().flatMap(({ id, project: { cluster } }) =>
      cluster && isSame(hash, tokenHash(cluster.secret)) ? [id] : [],
    );
    if (ids.length === 0) return undefined;
    const roleIn = (id: string) => (ids.includes(id) ? ("viewer" as const) : undefined);
    return { user: "node", isNode: true, nameIn: () => "node", roleIn, refresh: async () => undefined };
  }

  /** Until the token is replaced. */
  #owner(hash: string): Caller {
    const roleIn = () => (isSame(hash, this.#ownHash) ? ("owner" as const) : undefined);
    return { user: "owner", isServerOwner: true, nameIn: () => "owner", roleIn, refresh: async () => undefined };
  }

  /** The settings as they are now. */
  async #refresh(): Promise<void> {
    for (const { project } of this.#projects()) await project.agents.refresh();
  }

  #countWrong(address: string): void {
    const allowance = this.#wrong.get(address) ?? new Allowance(MAX_WRONG_PER_SECOND, MAX_WRONG_AT_ONCE, this.#now);
    allowance.take();
    if (this.#wrong.size >= MAX_ADDRESSES) for (const [one, seen] of this.#wrong) if (seen.isFull) this.#wrong.delete(one);
    if (this.#wrong.size >= MAX_ADDRESSES) this.#wrong.clear();
    this.#wrong.set(address, allowance);
  }
}

/** The credential among a socket's subprotocols: a token, or the page's half of a session. */
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

export const tooMany = (message: string, waitMs: number): Refused =>
  new Refused({
    code: "rate_limited",
    message: `${message} Try again in ${Math.ceil(waitMs / 1_000)} s.`,
    retryAfterMs: waitMs,
  });

/** Pages of other sites may not act for a person. Programs other than browsers send no origin. */
export function demandOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined) return;
  const own = host === undefined ? [] : [`http://${host}`, `https://${host}`];
  if ([...own, ...allowed].includes(origin)) return;
  throw new Refused({ code: "wrong_origin", message: `Pages of ${origin.slice(0, 100)} may not use this server.` });
}
