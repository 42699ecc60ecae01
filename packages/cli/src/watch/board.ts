import { runKey } from "@colloquy/schema";
import type { LiveEvent, QuestionView, RootId, TreeNode } from "@colloquy/library";
import type { State } from "../dialogs/dialog-state.ts";
import type { DialogEntry, Listening, ProjectAccess } from "../access/project-access.ts";
import { askerOf as askerIn, nameOf, openIn } from "../dialogs/inbox.ts";
import { callText } from "../terminal/call-text.ts";
import { workingIn } from "../dialogs/tree-walk.ts";

/** One tree in the list. */
export interface Item {
  readonly rootId: RootId;
  readonly title: string;
  readonly agent: string;
  readonly state: State;
  readonly lastModified: string;
  readonly stopped?: string;
  /** Who waits for whom, or who is working: `lead → coder → YOU`. */
  readonly chain: string;
  readonly questions: readonly Asked[];
  readonly cost?: number;
  /** What is happening now, and since when. */
  readonly doing?: Doing;
}

/** A question, with the names to show. */
export interface Asked {
  readonly question: QuestionView;
  readonly agent: string;
  /** The name of the agent that waits for the asking one. */
  readonly asker?: string;
}

export interface Doing {
  readonly text: string;
  readonly startedAt: number;
}

/** Polls the project; a tree is opened only if it has changed. */
export class Board {
  readonly #project: ProjectAccess;
  readonly #known = new Map<RootId, { readonly key: string; readonly item: Item }>();
  readonly #listening = new Map<RootId, Listening>();
  readonly #doing = new Map<RootId, Map<string, Doing>>();

  constructor(project: ProjectAccess) {
    this.#project = project;
  }

  /** Remembers who is doing what right now. */
  hear(event: LiveEvent, nowMs: number): void {
    const { rootId, selfId } = event.dialog;
    const doing = this.#doing.get(rootId) ?? new Map<string, Doing>();
    this.#doing.set(rootId, doing);
    const speaking = runKey(selfId, event.agent);
    if (event.type === "generating_start_evt") doing.set(speaking, { text: event.agent, startedAt: nowMs });
    if (event.type === "generating_finish_evt" || event.type === "stream_error_evt") doing.delete(speaking);
    if (event.type === "tool_start_evt") doing.set(event.call, { text: callText(event.tool, event.input), startedAt: nowMs });
    if (event.type === "tool_finish_evt") doing.delete(event.call);
  }

  /** Every open dialog, and those in `also` whatever their state. */
  async items(also: ReadonlySet<RootId>): Promise<readonly Item[]> {
    const entries = (await this.#project.dialogs()).filter((entry) => entry.status === "running" || also.has(entry.rootId));
    return Promise.all(entries.map((entry) => this.#item(entry)));
  }

  async #item(entry: DialogEntry): Promise<Item> {
    const key = JSON.stringify(entry);
    const known = this.#known.get(entry.rootId);
    const item = known?.key === key ? known.item : await this.#look(entry);
    this.#known.set(entry.rootId, { key, item });
    this.#listen(entry);
    const doing = entry.hot ? [...(this.#doing.get(entry.rootId)?.values() ?? [])].at(-1) : undefined;
    return doing ? { ...item, doing } : item;
  }

  /** Only to busy ones: their activity is shown. */
  #listen({ rootId, hot }: DialogEntry): void {
    const known = this.#listening.get(rootId);
    if (hot && !known) this.#listening.set(rootId, this.#project.listen(rootId));
    if (hot || !known) return;
    this.#listening.delete(rootId);
    void known.end();
  }

  async #look(entry: DialogEntry): Promise<Item> {
    const { rootId, title, agent, lastModified, state, stopped, cost } = entry;
    // An unreadable tree is still listed.
    const tree =
      state === "idle" || state === "done" || state === "archived" ? undefined : await this.#project.tree(rootId).catch(() => undefined);
    const questions = entry.questions ? await openIn(this.#project, rootId).catch(() => []) : [];
    return {
      rootId,
      title,
      agent,
      state,
      lastModified,
      ...(stopped !== undefined && { stopped }),
      ...(cost !== undefined && { cost }),
      chain: tree ? chainOf(tree, questions) : agent,
      questions: questions.map((question) => {
        const asker = tree && askerOf(tree, question);
        return {
          question,
          agent: askerIn(this.#project, question),
          ...(asker !== undefined && { asker: nameOf(this.#project, asker) }),
        };
      }),
    };
  }
}

/** The path from the main dialog down to what everything waits for. */
function chainOf(tree: TreeNode, questions: readonly QuestionView[]): string {
  const [question] = questions;
  const [busy] = workingIn(tree);
  const end = question?.dialog.selfId ?? busy?.selfId;
  const way = end === undefined ? [tree.agentId, ...tree.waitsFor] : wayTo(tree, end);
  return [...way, ...(question ? ["YOU"] : [])].join(" → ");
}

function wayTo(node: TreeNode, id: string): readonly string[] {
  if (node.selfId === id) return [node.agentId];
  for (const child of node.children) {
    const way = wayTo(child, id);
    if (way.length > 0) return [node.agentId, ...way];
  }
  return [];
}

function askerOf(node: TreeNode, { dialog }: QuestionView): string | undefined {
  if (node.children.some((child) => child.selfId === dialog.selfId)) return node.agentId;
  for (const child of node.children) {
    const asker = askerOf(child, { dialog } as QuestionView);
    if (asker !== undefined) return asker;
  }
  return undefined;
}
