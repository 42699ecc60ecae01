import type { Line, RootId } from "@colloquy/schema";
import { linesIn } from "./line-text.ts";
import type { Claimed, LogSource, Taken } from "./log-source.ts";
import type { FromThread, Questions } from "./thread-messages.ts";

/** The log of another thread. */
export class RemoteSource implements LogSource {
  readonly isShared: boolean;
  readonly #post: (message: FromThread) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #onNews: (isMuch: boolean) => void = () => {};

  constructor(isShared: boolean, post: (message: FromThread) => void) {
    this.isShared = isShared;
    this.#post = post;
  }

  hear(isMuch: boolean): void {
    this.#onNews(isMuch);
  }

  answered({ id, answer, error }: { readonly id: number; readonly answer?: unknown; readonly error?: string }): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(answer);
    else waiting?.reject(new Error(error));
  }

  claim(): Promise<Claimed | undefined> {
    return this.#ask("claim", {});
  }

  save(pos: number): Promise<boolean> {
    return this.#ask("save", { pos });
  }

  release(): Promise<void> {
    return this.#ask("release", {});
  }

  async take(): Promise<Taken> {
    const { text, ...taken } = await this.#ask("take", {});
    return { ...taken, lines: linesIn(text) };
  }

  lookAgain(): void {
    void this.#ask("lookAgain", {}); // it only leaves a note there
  }

  async read(rootId: RootId, after: number, limit: number): Promise<readonly Line[]> {
    return linesIn(await this.#ask("read", { rootId, after, limit })).map(({ line }) => line);
  }

  changed(pos: number, isFirst: boolean): Promise<readonly RootId[]> {
    return this.#ask("changed", { pos, isFirst });
  }

  onNews(listener: (isMuch: boolean) => void): void {
    this.#onNews = listener;
  }

  #ask<Of extends keyof Questions>(question: Of, asked: Questions[Of]["asked"]): Promise<Questions[Of]["answer"]> {
    this.#lastId += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, waiting);
    this.#post({ type: "ask", id: this.#lastId, question, asked });
    return waiting.promise as Promise<Questions[Of]["answer"]>;
  }
}
