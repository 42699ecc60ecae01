import { newToken } from "../server-file.ts";
import { tokenHash } from "./token-hash.ts";

/** The oldest link is dropped beyond this many. */
const MAX_LINKS = 1_000;

/** One-time sign-in links. Not stored: after a restart, people make a new one. */
export class SignInLinks {
  /** Each link's token hash, by the link's own hash; undefined after its use. */
  readonly #links = new Map<string, string | undefined>();

  /** Makes a secret that can be exchanged once for the token with this hash. */
  make(token: string): string {
    const link = newToken();
    this.#links.set(tokenHash(link), token);
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= MAX_LINKS) break;
      this.#links.delete(oldest);
    }
    return link;
  }

  /** The link's token hash on first use; undefined for an unknown link. */
  take(link: string): { readonly token: string | undefined; readonly isUsed: boolean } | undefined {
    const hash = tokenHash(link);
    if (!this.#links.has(hash)) return undefined;
    const token = this.#links.get(hash);
    this.#links.set(hash, undefined);
    return { token, isUsed: token === undefined };
  }
}
