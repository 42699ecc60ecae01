import type { AskId } from "@colloquy/schema";

/** That somebody stands still, or goes on. Not worth saying once the answer is there. */
export interface News {
  /** The event by which it is old. */
  oldBy: number | undefined;
  wasShown: boolean;
  /** What this takes back: if that was never shown, this need not be. */
  readonly takesBack: News | undefined;
}

/** What a step was shown depends on what it could know: `seen`, not on what has come since. */
export const isWorthSaying = ({ oldBy, takesBack }: News, seen: number): boolean =>
  (oldBy === undefined || oldBy > seen) && (takesBack === undefined || takesBack.wasShown);

/** The last word about each ask whose dialog has stood still. */
export class StandstillNews {
  readonly #last = new Map<AskId, News>();

  /** A newer word: the one before is old by it. */
  tell(seq: number, ask: AskId, goesOn: boolean): News {
    const before = this.#last.get(ask);
    if (before) before.oldBy ??= seq;
    const news: News = { oldBy: undefined, wasShown: false, takesBack: goesOn ? before : undefined };
    this.#last.set(ask, news);
    return news;
  }

  answered(seq: number, ask: AskId): void {
    const news = this.#last.get(ask);
    if (news) news.oldBy ??= seq;
    this.#last.delete(ask);
  }
}
