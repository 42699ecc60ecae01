import { createHash, timingSafeEqual } from "node:crypto";
import { OWNER, type Caller } from "./caller.ts";
import { Allowance } from "./allowance.ts";
import { Problem } from "./problem.ts";
import type { ServedProject } from "./served-project.ts";

/** As it stands in `colloquy.yaml`: a token has so much chance in it that a plain hash tells nothing of it. */
export const tokenHash = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;

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
}

/** Wrong tokens from one address: a few at once, then one in a while. */
const WRONG_PER_SECOND = 1;
const WRONG_AT_ONCE = 20;
const ADDRESSES = 10_000;
/** More than a loopback client can ask for in earnest. */
const PER_SECOND = 10_000;
const AT_ONCE = 20_000;

/** Who may come in. */
export class Access {
  readonly #ownHash: string;
  readonly #cookieName: () => string;
  readonly #projects: () => readonly ServedProject[];
  readonly #now: () => number;
  readonly #wrong = new Map<string, Allowance>();
  readonly #users = new Map<string, Allowance>();

  constructor(token: string, cookieName: () => string, projects: () => readonly ServedProject[], now = () => performance.now()) {
    this.#now = now;
    this.#ownHash = tokenHash(token);
    this.#cookieName = cookieName;
    this.#projects = projects;
  }

  /** Undefined without a token; throws for a wrong one, and says to wait when many came from this address. */
  async callerOf(credentials: Credentials, address: string): Promise<Caller | undefined> {
    const token = this.#tokenIn(credentials);
    return token === undefined ? undefined : this.callerWith(token, address);
  }

  async callerWith(token: string, address: string): Promise<Caller> {
    // A right token is never locked out by others at the same address: on this machine everybody has the same.
    const caller = await this.#find(tokenHash(token));
    if (caller) return caller;
    const wrong = this.#wrong.get(address);
    if (wrong && !wrong.hasAny) throw tooMany("Too many wrong tokens from this address.", 1_000 / WRONG_PER_SECOND);
    this.#countWrong(address);
    throw new Problem("unauthorized", "This token is not known here. The link that the server printed has the right one.");
  }

  /** How often this person may still ask. */
  allowanceOf({ user }: Caller): Allowance {
    const known = this.#users.get(user);
    if (known) return known;
    const allowance = new Allowance(PER_SECOND, AT_ONCE);
    this.#users.set(user, allowance);
    return allowance;
  }

  #tokenIn({ authorization, cookie, protocol }: Credentials): string | undefined {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
    if (bearer !== undefined) return bearer;
    const offered = (protocol ?? "").split(",").map((one) => one.trim());
    const inProtocol = offered.find((one) => one.startsWith("colloquy."))?.slice("colloquy.".length);
    if (inProtocol !== undefined) return inProtocol;
    const pairs = (cookie ?? "").split(";").map((pair) => pair.trim().split("="));
    return pairs.find(([name]) => name === this.#cookieName())?.[1];
  }

  async #find(hash: string): Promise<Caller | undefined> {
    if (isSame(hash, this.#ownHash)) return OWNER;
    await this.#refresh();
    // Users belong to a project each; the same person with the same token in two of them is one.
    const found = this.#projects().flatMap(({ id, project }) =>
      project.team.users.filter((user) => isSame(hash, user.tokenHash)).map((user) => ({ id, ...user })),
    );
    const [first] = found;
    if (!first) return undefined;
    // Asked each time: whoever is taken out of the settings is out at once.
    const roleIn = (projectId: string) =>
      this.#projects()
        .find(({ id }) => id === projectId)
        ?.project.team.users.find((user) => isSame(hash, user.tokenHash))?.role;
    return { user: first.name, roleIn, refresh: () => this.#refresh() };
  }

  /** The settings as they are now. */
  async #refresh(): Promise<void> {
    for (const { project } of this.#projects()) await project.team.refresh();
  }

  #countWrong(address: string): void {
    const allowance = this.#wrong.get(address) ?? new Allowance(WRONG_PER_SECOND, WRONG_AT_ONCE, this.#now);
    allowance.take();
    if (this.#wrong.size >= ADDRESSES) for (const [one, seen] of this.#wrong) if (seen.isFull) this.#wrong.delete(one);
    if (this.#wrong.size >= ADDRESSES) this.#wrong.clear();
    this.#wrong.set(address, allowance);
  }
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
