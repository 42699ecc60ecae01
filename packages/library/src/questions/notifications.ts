import { noticeView, notificationsOf, type Tree } from "@colloquy/core";
import type { Engine } from "@colloquy/runtime";
import { type Notification, Refused } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { type Page, pageOf, type PageQuery, partOf } from "../dialogs/page.ts";
import { type Look, type Looks, treeWith } from "../open/locate.ts";

export interface NotificationQuery extends PageQuery<Notification["status"]> {
  readonly kind?: Notification["kind"] | undefined;
}

/** The notifications of a project: questions by what raised them, and notices. */
export class Notifications {
  readonly #notices: Engine["notices"];
  readonly #store: Store;
  readonly #look: Look;
  readonly #lookPastDamage: Look;

  /** @internal */
  constructor(store: Store, notices: Engine["notices"], { look, lookPastDamage }: Looks) {
    this.#store = store;
    this.#notices = notices;
    this.#look = look;
    this.#lookPastDamage = lookPastDamage;
  }

  /** Questions that were raised together, and notices. Notices and open ones are found without reading other trees. */
  async list({ status, kind, after, limit = 100 }: NotificationQuery = {}): Promise<Page<Notification, string>> {
    const isWanted = (one: Notification) => (status === undefined || one.status === status) && (kind === undefined || one.kind === kind);
    const pick = (tree: Tree) => notificationsOf(tree).filter(isWanted);
    const notices = kind === undefined || kind === "notice" ? this.#notices.all().map(noticeView).filter(isWanted).toReversed() : [];
    if (kind === "notice") return partOf(notices, after, limit);
    if (status !== "open") {
      const { items, ...next } = await pageOf(this.#store, this.#lookPastDamage, { limit, after }, pick);
      return { items: after === undefined ? [...notices, ...items] : items, ...next };
    }
    const found = await Promise.all(this.#store.asking().map((rootId) => this.#lookPastDamage(rootId, pick)));
    return { items: [...notices, ...found.flatMap((some) => some ?? [])].toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)) };
  }

  /** A notice as a notification. */
  notice(id: string): Notification | undefined {
    const notice = this.#notices.get(id);
    return notice && noticeView(notice);
  }

  async get(id: string): Promise<Notification> {
    const notice = this.notice(id);
    if (notice) return notice;
    const has = (tree: Tree) => notificationsOf(tree).find((one) => one.id === id);
    const rootId = await treeWith(this.#store, this.#look, id, (tree) => has(tree) !== undefined);
    const found = rootId && (await this.#look(rootId, has));
    if (!found) throw new Refused({ code: "not_found", message: `There is no notification ${id}.` });
    return found;
  }
}
