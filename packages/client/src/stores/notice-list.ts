import type { Notification } from "@colloquy/schema";
import type { Api } from "../api.ts";
import { type Observable, Observed } from "../observable.ts";
import type { ProjectEvent } from "../transport/project-channel.ts";
import type { Listing } from "./project-store.ts";

/** What an agent did without asking. */
export interface Notice extends Notification {
  readonly notice: NonNullable<Notification["notice"]>;
}

const PAGE_NOTICES = 200;

/** A project's undismissed notices, newest first. Undefined until loaded. */
export class NoticeList implements Listing, Observable<readonly Notice[] | undefined> {
  readonly #join: (listing: Listing) => () => void;
  readonly #notices = new Observed<readonly Notice[] | undefined>(undefined);

  constructor(join: (listing: Listing) => () => void) {
    this.#join = join;
  }

  readonly getSnapshot = (): readonly Notice[] | undefined => this.#notices.getSnapshot();

  readonly subscribe = (listener: () => void): (() => void) => {
    const stops = [this.#notices.subscribe(listener), this.#join(this)];
    return () => stops.forEach((stop) => stop());
  };

  async load(api: Api): Promise<void> {
    const { notifications } = await api.notifications.list({ kind: "notice", status: "open", limit: PAGE_NOTICES });
    this.#notices.set(notifications.filter(isNotice));
  }

  hear(event: ProjectEvent): void {
    const known = this.getSnapshot() ?? [];
    if (event.type === "notification.added" && isNotice(event.notification)) {
      const { notification } = event;
      this.#notices.set([notification, ...known.filter(({ id }) => id !== notification.id)]);
    }
    if (event.type === "dialog.deleted") this.#notices.set(known.filter(({ notice }) => notice.dialog.rootId !== event.rootId));
    if (event.type === "notification.resolved" && known.some(({ id }) => id === event.notificationId))
      this.#notices.set(known.filter(({ id }) => id !== event.notificationId));
  }
}

export const isNotice = (one: Notification): one is Notice => one.notice !== undefined;
