import type { ProjectAccess } from "../access/project-access.ts";
import { failureOf } from "../line/failure.ts";
import type { DialogAddress } from "../dialogs/ids.ts";
import { rowsOf, rowText } from "../terminal/transcript.ts";
import type { Screen } from "../terminal/screen.ts";
import { widest } from "../terminal/width.ts";
import { Board } from "./board.ts";
import { type Act, accepted, type Pressed } from "./press.ts";
import { startState, visibleItems, type WatchState, withItems } from "./watch-state.ts";

const LOOK_MS = 250;

/** Connects the screen to the project: reads, performs what keys request, and reports changes. */
export class Stage {
  readonly #project: ProjectAccess;
  readonly #board: Board;
  readonly #screen: Screen;
  readonly #listeners = new Set<() => void>();
  readonly #quitters = new Set<() => void>();
  readonly #stopListening: () => void;
  #timer: NodeJS.Timeout | undefined;
  #rows: { readonly place: DialogAddress; readonly seen: string; readonly rows: ReturnType<typeof rowsOf> } | undefined;
  #hasQuit = false;
  #isClosed = false;
  state: WatchState;

  private constructor(project: ProjectAccess, screen: Screen, board: Board, state: WatchState) {
    this.#project = project;
    this.#screen = screen;
    this.#board = board;
    this.state = state;
    this.#stopListening = project.onLive((event) => board.hear(event, Date.now()));
  }

  static async open(project: ProjectAccess, screen: Screen): Promise<Stage> {
    const board = new Board(project);
    const stage = new Stage(project, screen, board, startState(await board.items(new Set()), Date.now()));
    stage.#lookLater();
    return stage;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onQuit(listener: () => void): () => void {
    this.#quitters.add(listener);
    if (this.#hasQuit) listener();
    return () => void this.#quitters.delete(listener);
  }

  quit(): void {
    this.#hasQuit = true;
    for (const listener of this.#quitters) listener();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#stopListening();
  }

  /** A message for the person, in the last line. */
  tell(notice: string): void {
    this.#set({ ...this.state, notice });
  }

  take({ state, act }: Pressed): void {
    this.#set(state);
    if (act?.type === "quit") return this.quit();
    if (act) void this.#do(act);
    if (state.reading) void this.#look();
  }

  /** Keeps the selected item visible; nothing else scrolls the list. */
  scrollTo(room: number): void {
    const { state } = this;
    const at = visibleItems(state).findIndex(({ rootId }) => rootId === state.selected);
    if (at < 0) return;
    const top = at < state.top ? at : at >= state.top + room ? at - room + 1 : state.top;
    if (top !== state.top) this.state = { ...state, top };
  }

  /** The dialog being read, in lines. */
  reading(columns: number): readonly string[] {
    const { reading } = this.state;
    if (!reading || this.#rows?.place.selfId !== reading.place.selfId) return ["…"];
    const { rows } = this.#rows;
    const whoColumns = widest(
      rows.map((row) => row.who),
      8,
    );
    const screen = { ...this.#screen, isTerminal: true, columns, colours: this.#screen.colours };
    return rows.flatMap((row) => rowText(screen, row, { nowMs: Date.now(), whoColumns, isFolded: false }).trimEnd().split("\n"));
  }

  async #do(act: Act): Promise<void> {
    const agent = "question" in act ? act.question.agentId : "";
    try {
      await this.#perform(act);
      const notices: Partial<Record<Act["type"], string>> = {
        answer: `${agent} continues …`,
        approve: "Approved, once.",
        deny: "Denied.",
        back: `${agent} was asked.`,
        stop: "Stopped. s s resumes it.",
        resume: "Resumed.",
      };
      this.#set({ ...accepted(this.state, act), notice: notices[act.type] ?? "" });
    } catch (error) {
      this.tell(failureOf(error).message);
    }
    await this.#look();
  }

  /** The request carries the version that was shown (U-S5). */
  async #perform(act: Act): Promise<void> {
    const project = this.#project;
    switch (act.type) {
      case "answer":
        await project.answer(act.question.id, {
          shown: act.question.shown,
          ...(act.choice && { choice: act.choice }),
          ...(act.content !== undefined && { content: act.content }),
        });
        return;
      case "approve":
        await project.approve(act.question.id, { shown: act.question.shown });
        return;
      case "deny":
        await project.deny(act.question.id, { shown: act.question.shown, ...(act.why.trim() !== "" && { why: act.why }) });
        return;
      case "back":
        await project.askBack(act.question.id, act.content);
        return;
      case "new":
        await project.createDialog({ content: act.content });
        return;
      case "stop":
        await project.stop(act.place, { tree: true });
        return;
      case "resume":
        await project.resume(act.place);
        return;
      case "quit":
        return;
      default:
        act satisfies never;
    }
  }

  #lookLater(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#look().then(() => this.#lookLater()), LOOK_MS);
  }

  /** Never throws: what can't be read now is read next time, or its reason is shown. */
  async #look(): Promise<void> {
    try {
      const known = new Set(this.state.items.map(({ rootId }) => rootId));
      const items = await this.#board.items(known);
      this.#set(withItems(this.state, items, Date.now()));
      if (this.state.reading) await this.#read(this.state.reading.place);
    } catch (error) {
      if (!this.#isClosed) this.tell(failureOf(error).message);
    }
  }

  async #read(place: DialogAddress): Promise<void> {
    const { seq, unread } = await this.#project.view(place);
    const seen = `${place.selfId}/${seq}`;
    if (this.#rows?.seen === seen) return;
    const rows = rowsOf(await this.#project.events(place.rootId), place.selfId, unread).filter(({ kind }) => kind !== "thought");
    this.#rows = { place, seen, rows };
    this.#changed();
  }

  #set(state: WatchState): void {
    const isSame = state === this.state;
    this.state = state;
    if (!isSame) this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** On leaving: is anything still running? */
  isAtWork(): boolean {
    return this.state.items.some(({ state }) => state === "working");
  }
}
