import { newToken } from "../server-file.ts";
import { tokenHash } from "./token-hash.ts";

/** Beyond this many the oldest are forgotten. */
const MAX_LINKS = 1_000;

/** Links that sign a browser in, each of them once. They live as long as the server: a new one costs nothing. */
export class SignInLinks {
  /** What each stands for, by its hash; undefined once it was used. */
  readonly #links = new Map<string, string | undefined>();

  /** A secret that stands once for the token with this hash. */
  make(token: string): string {
    const link = newToken();
    this.#links.set(tokenHash(link), token);
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= MAX_LINKS) break;
      this.#links.delete(oldest);
    }
    return link;
  }

  /** The hash of the token that it stands for, the first time; undefined for what is no link. */
  take(link: string): { readonly token: string | undefined; readonly isUsed: boolean } | undefined {
    const hash = tokenHash(link);
    if (!this.#links.has(hash)) return undefined;
    const token = this.#links.get(hash);
    this.#links.set(hash, undefined);
    return { token, isUsed: token === undefined };
  }
}
