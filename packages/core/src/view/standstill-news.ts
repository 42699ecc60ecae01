import type { AskId } from "@colloquy/schema";

/** News that a dialog is stopped, or continues. Not worth telling once the answer is there. */
export interface News {
  /** The event that makes it outdated. */
  oldBy: number | undefined;
  wasShown: boolean;
  /** What this takes back: if that was never shown, this need not be. */
  readonly takesBack: News | undefined;
}

/** What a step was shown depends on what it could know (`seen`), not on what came since. */
export const isWorthSaying = ({ oldBy, takesBack }: News, seen: number): boolean =>
  (oldBy === undefined || oldBy > seen) && (takesBack === undefined || takesBack.wasShown);

/** The latest news about each ask whose dialog was stopped. */
export class StandstillNews {
  readonly #last = new Map<AskId, News>();

  /** Newer news makes the previous one outdated. */
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
