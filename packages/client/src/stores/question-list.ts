import { byUrgency } from "@colloquy/core";
import type { QuestionView } from "@colloquy/schema";
import type { Api } from "../api.ts";
import { type Observable, Observed } from "../observable.ts";
import type { Presence, ProjectEvent } from "../transport/project-channel.ts";
import type { Listing } from "./project-store.ts";

export interface Questions {
  /** Undefined until loaded. Most unblocking first. */
  readonly open: readonly QuestionView[] | undefined;
  /** Questions closed while this list was kept, with their outcome, last one first. */
  readonly closed: readonly QuestionView[];
  /** Who else has a question open and is writing, by its id. */
  readonly writers: Readonly<Record<string, readonly string[]>>;
}

const MAX_KEPT_CLOSED = 50;

/** The open questions of a project. */
export class QuestionList implements Listing, Observable<Questions> {
  readonly #now: () => number;
  readonly #join: (listing: Listing) => () => void;
  readonly #questions = new Observed<Questions>({ open: undefined, closed: [], writers: {} });
  readonly #present = new Map<string, { readonly user: string; readonly questionId: string }>();

  constructor(now: () => number, join: (listing: Listing) => () => void) {
    this.#now = now;
    this.#join = join;
  }

  readonly getSnapshot = (): Questions => this.#questions.getSnapshot();

  readonly subscribe = (listener: () => void): (() => void) => {
    const stops = [this.#questions.subscribe(listener), this.#join(this)];
    return () => stops.forEach((stop) => stop());
  };

  async load(api: Api): Promise<void> {
    const { questions } = await api.questions.list({ status: "open" });
    const before = this.getSnapshot();
    const gone = (before.open ?? []).filter(({ id }) => !questions.some((one) => one.id === id));
    // They were closed while disconnected.
    const ended = await Promise.all(gone.map(({ id }) => api.questions.get(id).catch(() => undefined)));
    this.#set(questions, [...ended.filter((one) => one !== undefined), ...before.closed]);
  }

  hear(event: ProjectEvent): void {
    const { open = [], closed } = this.getSnapshot();
    if (event.type === "question.updated") {
      const { question } = event;
      const others = open.filter(({ id }) => id !== question.id);
      // A question that shares one of another tree is shown there.
      if (question.status === "open" && question.shares === undefined) this.#set([...others, question], closed);
      else if (others.length < open.length) this.#set(others, [question, ...closed]);
    }
    if (event.type === "dialog.deleted") {
      const isElsewhere = ({ dialog }: QuestionView) => dialog.rootId !== event.rootId;
      this.#set(open.filter(isElsewhere), closed.filter(isElsewhere));
    }
    if (event.type === "dialog.updated") {
      const { rootId, title, questions } = event.dialog;
      const behind = new Map(questions.map((one) => [one.id, one.behind]));
      const isStale = (one: QuestionView) =>
        one.dialog.rootId === rootId && (one.title !== title || one.waitingBehind !== (behind.get(one.id) ?? one.waitingBehind));
      if (!open.some(isStale)) return;
      this.#set(
        open.map((one) => (isStale(one) ? { ...one, title, waitingBehind: behind.get(one.id) ?? one.waitingBehind } : one)),
        closed,
      );
    }
  }

  present({ client, user, questionId, writing, gone }: Presence): void {
    if (gone === true || questionId === undefined || writing !== true) this.#present.delete(client);
    else this.#present.set(client, { user, questionId });
    const writers: Record<string, string[]> = {};
    for (const one of this.#present.values()) (writers[one.questionId] ??= []).push(one.user);
    this.#questions.set({ ...this.getSnapshot(), writers });
  }

  #set(open: readonly QuestionView[], closed: readonly QuestionView[]): void {
    const order = byUrgency(this.#now());
    this.#questions.set({ ...this.getSnapshot(), open: open.toSorted(order), closed: closed.slice(0, MAX_KEPT_CLOSED) });
  }
}
