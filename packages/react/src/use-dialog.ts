import { type DialogMessage, messagesIn } from "@colloquy/client";
import type { answers, DialogView, LiveEvent, Recorded, ServerPacket, TreeNode } from "@colloquy/schema";
import type { z } from "zod";
import { type Door, Refusal } from "./door.ts";
import { sharedOf, useDoor, useShared } from "./provider.ts";
import { Shared, soon } from "./shared.ts";
import { projectPath, useProjectId } from "./use-project.ts";

/** What is being said right now: segments in the order in which they came. */
export interface Saying {
  readonly agent: string;
  readonly course: number;
  /** Which generation of the course it is: the record of the step has the same number. */
  readonly gen: number;
  readonly segments: readonly { readonly kind: "thinking" | "saying"; readonly text: string; readonly isFinished: boolean }[];
  readonly startedAt: number;
}

/** A tool that runs right now. */
export interface RunningTool {
  readonly call: string;
  readonly tool: string;
  readonly startedAt: number;
}

export interface DialogState {
  readonly view: DialogView | undefined;
  /** The whole tree that it belongs to. */
  readonly tree: z.infer<typeof TreeNode> | undefined;
  /** Events of this dialog and of its tree as far as they are loaded, oldest first. */
  readonly events: readonly Recorded[];
  /** What people and agents said in this dialog, questions and answers included, as far as it is loaded, oldest first. */
  readonly messages: readonly DialogMessage[];
  readonly hasOlder: boolean;
  readonly loadOlder: () => void;
  /** By dialog. */
  readonly saying: Readonly<Record<string, Saying>>;
  readonly tools: Readonly<Record<string, readonly RunningTool[]>>;
  /** A pause before the next attempt, by dialog. */
  readonly retries: Readonly<Record<string, string>>;
  readonly problem: Refusal | undefined;
}

const PAGE = 400;
const nothing: DialogState = {
  view: undefined,
  tree: undefined,
  events: [],
  messages: [],
  hasOlder: false,
  loadOlder: () => undefined,
  saying: {},
  tools: {},
  retries: {},
  problem: undefined,
};

/** A dialog, main or side: how it stands, what happened in it, and what is said right now. Without a project: in the only one that is served. */
export function useDialog(dialogId: string, projectId?: string): DialogState {
  const door = useDoor();
  const chosen = useProjectId(projectId);
  return useShared(
    sharedOf(door, `dialog ${chosen} ${dialogId}`, () =>
      chosen === "" ? new Shared(nothing, () => () => undefined) : new Shared(nothing, (self) => follow(door, chosen, dialogId, self)),
    ),
  );
}

function follow(door: Door, projectId: string, dialogId: string, self: Shared<DialogState>): () => void {
  const path = `${projectPath(projectId)}/dialogs/${encodeURIComponent(dialogId)}`;
  const change = (some: Partial<DialogState>) => self.set({ ...self.get(), ...some });
  let isEnded = false;
  let unwatch = () => {};
  let draft: Recorded[] = [];
  let older: string | undefined;

  const look = soon(async () => {
    const view = await door.read<DialogView>(path).catch(() => undefined);
    if (!view || isEnded) return;
    const tree = await door.read<z.infer<typeof TreeNode>>(`${projectPath(projectId)}/dialogs/${view.rootId}/tree`).catch(() => undefined);
    if (!isEnded) change({ view, ...(tree && { tree }) });
  }, 60);

  const loadOlder = soon(async () => {
    if (older === undefined) return;
    const page = await door.read<z.infer<typeof answers.EventList>>(`${path}/events?before=${older}&limit=${PAGE}`).catch(() => undefined);
    if (!page || isEnded) return;
    older = page.next;
    const { events, messages } = self.get();
    change({
      events: [...page.events, ...events],
      messages: [...messagesIn(page.events, dialogId), ...messages],
      hasOlder: older !== undefined,
    });
  }, 0);

  const live = new LiveFold(
    (some) => change(some),
    () => self.get(),
  );

  const hear = (packet: ServerPacket) => {
    if (packet.type !== "recorded") return live.hear(packet as LiveEvent);
    draft.push(packet);
    if (!packet.last) return;
    const commit = draft;
    draft = [];
    live.recorded(commit);
    const { events, messages } = self.get();
    const said = messagesIn(commit, dialogId);
    change({ events: [...events, ...commit], ...(said.length > 0 && { messages: [...messages, ...said] }) });
    look();
  };

  // The connection may come while it is still being read: that is no second beginning.
  let isBeginning = false;
  const begin = async () => {
    if (isBeginning) return;
    isBeginning = true;
    try {
      const view = await door.read<DialogView>(path);
      const page = await door.read<z.infer<typeof answers.EventList>>(`${path}/events?before=${view.seq + 1}&limit=${PAGE}`);
      if (isEnded) return;
      older = page.next;
      const messages = messagesIn(page.events, dialogId);
      change({ view, events: page.events, messages, hasOlder: older !== undefined, loadOlder, problem: undefined });
      unwatch = door.watchTree(projectId, view.rootId, view.seq, hear);
      look();
    } catch (error) {
      if (!isEnded && error instanceof Refusal && error.code !== "unreachable") change({ problem: error });
    } finally {
      isBeginning = false;
    }
  };

  if (self.get().view === undefined) void begin();
  else {
    const { view } = self.get();
    unwatch = door.watchTree(projectId, view?.rootId ?? dialogId, self.get().events.at(-1)?.seq ?? view?.seq ?? 0, hear);
    look();
  }
  const stop = door.onConnection(() => {
    const { state } = door.connection();
    if (state === "lost") live.lost();
    if (state !== "live") return;
    if (self.get().view === undefined) void begin();
    else look();
  });
  return () => {
    isEnded = true;
    stop();
    unwatch();
  };
}

/** Folds what is said live; chunks that come together are shown together. */
class LiveFold {
  readonly #change: (some: Partial<DialogState>) => void;
  readonly #get: () => DialogState;
  #saying: Record<string, Saying> = {};
  #isDirty = false;

  constructor(change: (some: Partial<DialogState>) => void, get: () => DialogState) {
    this.#change = change;
    this.#get = get;
  }

  hear(event: LiveEvent): void {
    const id = event.dialog.selfId as string;
    const now = this.#saying[id];
    const begun = (): Saying => ({ agent: event.agent, course: event.course, gen: event.genseq, segments: [], startedAt: Date.now() });
    switch (event.type) {
      case "generating_start_evt":
        this.#retry(id, undefined);
        return this.#say(id, begun());
      case "thinking_start_evt":
      case "saying_start_evt": {
        const kind = event.type === "saying_start_evt" ? "saying" : "thinking";
        const base = now ?? begun();
        return this.#say(id, { ...base, segments: [...base.segments, { kind, text: "", isFinished: false }] });
      }
      case "thinking_chunk_evt":
      case "saying_chunk_evt": {
        const last = now?.segments.at(-1);
        if (!now || !last) return;
        // What was missed before this chunk comes with the record; until then only what is whole is shown.
        const text = event.offset <= last.text.length ? last.text.slice(0, event.offset) + event.text : last.text;
        return this.#say(id, { ...now, segments: [...now.segments.slice(0, -1), { ...last, text }] });
      }
      case "thinking_finish_evt":
      case "saying_finish_evt": {
        const last = now?.segments.at(-1);
        if (!now || !last) return;
        return this.#say(id, { ...now, segments: [...now.segments.slice(0, -1), { ...last, isFinished: true }] });
      }
      case "stream_error_evt":
        return this.#say(id, undefined);
      case "retry_evt":
        this.#retry(id, event.message);
        return this.#say(id, undefined);
      case "tool_start_evt":
        return this.#tools(id, (tools) => [...tools, { call: event.call, tool: event.tool, startedAt: Date.now() }]);
      case "tool_finish_evt":
        return this.#tools(id, (tools) => tools.filter(({ call }) => call !== event.call));
      default:
        return;
    }
  }

  /** The record supersedes what was shown live. */
  recorded(commit: readonly Recorded[]): void {
    for (const { event, dialog } of commit) {
      if (event.type === "step.ended" || event.type === "step.cut" || event.type === "dialog.stopped" || event.type === "turn.ended") {
        if (this.#saying[dialog.selfId]) this.#drop(dialog.selfId);
      }
      if (event.type === "call.ended") this.#tools(dialog.selfId, (tools) => tools.filter(({ call }) => call !== event.call));
    }
  }

  lost(): void {
    this.#saying = {};
    this.#change({ saying: {}, tools: {} });
  }

  #drop(id: string): void {
    const { [id]: _, ...rest } = this.#saying;
    this.#saying = rest;
    this.#change({ saying: rest });
  }

  #say(id: string, saying: Saying | undefined): void {
    if (!saying) return this.#drop(id);
    this.#saying = { ...this.#saying, [id]: saying };
    if (this.#isDirty) return;
    this.#isDirty = true;
    // Not requestAnimationFrame: a page in the background must not pile up what it heard.
    setTimeout(() => {
      this.#isDirty = false;
      this.#change({ saying: this.#saying });
    }, 30);
  }

  #tools(id: string, next: (tools: readonly RunningTool[]) => readonly RunningTool[]): void {
    const { tools } = this.#get();
    this.#change({ tools: { ...tools, [id]: next(tools[id] ?? []) } });
  }

  #retry(id: string, message: string | undefined): void {
    const { retries } = this.#get();
    if (retries[id] === message) return;
    const { [id]: _, ...rest } = retries;
    this.#change({ retries: message === undefined ? rest : { ...rest, [id]: message } });
  }
}
