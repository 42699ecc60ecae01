import type { AskId } from "@colloquy/schema";

/** News that a dialog was stopped or resumed. It is outdated once the dialog's answer has arrived. */
export interface News {
  /** The event that makes it outdated. */
  oldBy: number | undefined;
  wasShown: boolean;
  /** The earlier news that this reverses. If that was never shown, this need not be shown either. */
  readonly takesBack: News | undefined;
}

/** Depends only on what the step could know (`seen`), not on later events, so that a rebuilt view shows the same. */
export const isWorthSaying = ({ oldBy, takesBack }: News, seen: number): boolean =>
  (oldBy === undefined || oldBy > seen) && (takesBack === undefined || takesBack.wasShown);

/** The latest news about each ask whose dialog was stopped. */
export class StalledNews {
  readonly #last = new Map<AskId, News>();

  /** Later news makes the previous news outdated. */
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
