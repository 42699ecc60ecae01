import type { ProjectEvent } from "./project-channel.ts";

/** How far a subscriber has read a project's events. Over a new connection the last commit may come again; each event counts once. */
export class ProjectPlace {
  /** The last commit from which an event arrived; undefined until the server reports its position. */
  #pos: number | undefined;
  /** Events received from that commit, which may be incomplete. Undefined: all of them. */
  #heard: Set<string> | undefined;

  constructor(after: number | undefined) {
    this.#pos = after;
  }

  /** The last commit that is known to be complete. */
  get complete(): number | undefined {
    return this.#pos !== undefined && this.#heard ? this.#pos - 1 : this.#pos;
  }

  /** Everything up to `pos` is known, or nothing. */
  restart(pos: number | undefined): void {
    this.#pos = pos;
    this.#heard = undefined;
  }

  /** True if the event is new. */
  reach(event: ProjectEvent): boolean {
    const key = keyOf(event);
    if (this.#pos === undefined || event.pos < this.#pos) return false;
    if (event.pos === this.#pos && (!this.#heard || this.#heard.has(key))) return false;
    if (event.pos > this.#pos) this.#heard = new Set();
    this.#heard?.add(key);
    this.#pos = event.pos;
    return true;
  }
}

/** Identifies an event within its commit. */
function keyOf(event: ProjectEvent): string {
  switch (event.type) {
    case "questions_count_update":
      return `${event.type} ${event.dialog.selfId} ${event.questionCount}`;
    case "notification.added":
      return `${event.type} ${event.notification.id}`;
    case "notification.resolved":
      return `${event.type} ${event.notificationId}`;
    case "task.updated":
      return `${event.type} ${event.task.id} ${event.task.status}`;
    case "question.updated":
      return `${event.type} ${event.question.id}`;
    case "project.updated":
      return event.type;
    case "dialog.deleted":
      return `${event.type} ${event.rootId}`;
    case "dialog.updated":
      return `${event.type} ${event.dialog.rootId}`;
  }
}
