import { emptyTree, type Tree } from "@colloquy/core";
import type { AgentId, DialogId, RootId, TreeEventOf } from "@colloquy/schema";
import { GEN_AI } from "./names.ts";
import { type Attributes, part, type Span, spanIdOf, traceIdOf } from "./span.ts";

export interface SpanOptions {
  /** Agents' names, by id. */
  readonly nameOf?: ((agent: string) => string | undefined) | undefined;
  /** If present, messages, arguments and results are sent, masked by it. If absent, only who, when and how much. */
  readonly content?: ((text: string) => string) | undefined;
}

type Ended = Pick<Span, "spanId" | "name" | "startMs" | "endMs" | "attributes"> &
  Partial<Pick<Span, "kind" | "events" | "links" | "isError" | "parentId">>;

type Place = { readonly dialog: DialogId; readonly agent: AgentId };

/** Shared by the spans of one tree: the state they are made from, their ids, and where they are collected. */
export class SpanWriter {
  readonly rootId: RootId;
  /** The tree after the current event. */
  tree: Tree;
  readonly rootSpan: string;
  readonly #options: SpanOptions;
  #ended: Span[] = [];

  constructor(rootId: RootId, options: SpanOptions) {
    this.rootId = rootId;
    this.tree = emptyTree(rootId);
    this.#options = options;
    this.rootSpan = this.id(part.root);
  }

  id = (of: string): string => spanIdOf(this.rootId, of);
  nameOf = (agent: string): string => this.#options.nameOf?.(agent) ?? agent;

  here({ dialog, agent }: Place): Attributes {
    return {
      [GEN_AI.conversation]: dialog,
      [GEN_AI.agentId]: agent,
      [GEN_AI.agentName]: this.nameOf(agent),
      "colloquy.tree": this.rootId,
      "colloquy.task": this.tree.task?.id,
    };
  }

  /** Only if content is sent. */
  content(name: string, text: string | undefined): Attributes {
    const { content } = this.#options;
    return content && text !== undefined && text !== "" ? { [name]: content(text) } : {};
  }

  message(name: string, text: string | undefined, role: "user" | "assistant"): Attributes {
    const { content } = this.#options;
    if (!content || text === undefined || text === "") return {};
    return { [name]: JSON.stringify([{ role, parts: [{ type: "text", content: content(text) }] }]) };
  }

  end({ kind = "internal", parentId, events = [], links = [], isError = false, ...ended }: Ended): void {
    const { spanId, name, startMs, endMs, attributes } = ended;
    const traceId = traceIdOf(this.rootId);
    this.#ended.push({
      traceId,
      spanId,
      parentId,
      name,
      kind,
      startMs: Math.min(startMs, endMs),
      endMs,
      attributes,
      events,
      links,
      isError,
    });
  }

  take(): readonly Span[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }
}

export const usageOf = ({ usage, cost }: Pick<TreeEventOf<"step.ended">, "usage" | "cost">): Attributes => ({
  [GEN_AI.inputTokens]: usage?.input,
  [GEN_AI.outputTokens]: usage?.output,
  [GEN_AI.cachedTokens]: usage?.cachedInput,
  "colloquy.usage.estimated": usage?.estimated,
  "colloquy.cost": cost,
});

/** A recorded model is `provider/id`. */
export function modelOf(model: string | undefined): { readonly id: string | undefined; readonly attributes: Attributes } {
  if (model === undefined) return { id: undefined, attributes: {} };
  const [, provider, id = model] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  return { id, attributes: { [GEN_AI.provider]: provider, [GEN_AI.requestModel]: id, [GEN_AI.responseModel]: id } };
}
