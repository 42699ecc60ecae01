import { type AgentContext, methods, type SessionUpdate, type StopReason, type ToolCallContent } from "@agentclientprotocol/sdk";
import { type Said, Teller, untilIdle } from "@colloquy/bridge";
import { Refused, type RootId } from "@colloquy/schema";
import type { AcpProject } from "./acp-project.ts";
import { Asker } from "./asker.ts";
import { toolCallOf } from "./tool-call.ts";

interface Prompt {
  readonly text: string;
  readonly images: readonly Uint8Array[];
}

interface SessionOptions {
  readonly project: AcpProject;
  readonly rootId: RootId;
  readonly client: AgentContext;
  readonly hasForms: boolean;
  readonly agentId: string;
  /** Of what fails while no prompt waits. */
  readonly report: (error: unknown) => void;
}

/** How the `msgId` of every message from an editor begins. */
const PROTOCOL = "acp:";

/** A dialog as an editor's session: while it works, its updates are sent and its questions asked. */
export class Session {
  /** The agent that messages go to. */
  agentId: string;
  readonly #options: SessionOptions;
  readonly #teller: Teller;
  readonly #asker: Asker;
  readonly #closing = new AbortController();
  #exists = false;
  #title: string | undefined;
  /** The message that was last told of. */
  #speaking: string | undefined;
  /** What open calls change. A result must repeat it. */
  readonly #diffs = new Map<string, readonly ToolCallContent[]>();
  #following: Promise<void> | undefined;
  /** Following goes on at least up to this event. */
  #wanted = 0;
  /** Counts cancellations, so that a prompt knows whether it was cancelled. */
  #cancels = 0;

  constructor(options: SessionOptions) {
    const { project, rootId, client, hasForms, agentId } = options;
    this.#options = options;
    this.agentId = agentId;
    this.#teller = new Teller(rootId, 0);
    this.#asker = new Asker(project, this.#teller, {
      client,
      hasForms,
      say: (text) => this.#update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `\n\n${text}` } }),
    });
  }

  /** Continues a dialog that exists. `isShown`: what was said so far is sent. */
  async open(isShown: boolean): Promise<void> {
    const { project, rootId } = this.#options;
    const view = await project.view(rootId);
    for (const line of await project.events(rootId)) this.#teller.commit(line);
    const past = this.#teller.take();
    if (isShown) for (const said of past) for (const update of this.#updates(said, true)) await this.#update(update);
    this.#exists = true;
    this.agentId = view.agentId;
    this.#title = view.title;
  }

  /** Sends what happens from now on, and asks what is open, until nothing moves. */
  continue(): void {
    this.#follow().catch(this.#options.report);
  }

  async prompt({ text, images }: Prompt): Promise<StopReason> {
    this.#asker.resume();
    const { project, rootId } = this.#options;
    const before = this.#cancels;
    const msgId = `${PROTOCOL}${project.newId()}`;
    const work = { content: text, msgId, ...(images.length > 0 && { images }) };
    if (!this.#exists) {
      const { seq } = await project.create({ ...work, agentId: this.agentId, id: rootId });
      this.#exists = true;
      this.#wanted = seq;
    } else {
      const { agentId, stopped } = await project.view(rootId);
      const isAsking = (await project.questions(rootId)).length > 0;
      const { seq } = await project.send(rootId, {
        ...work,
        ...(agentId !== this.agentId && { mentions: [this.agentId] }),
        ...(isAsking && { now: true }),
      });
      this.#wanted = Math.max(this.#wanted, seq);
      // The person goes on after a stop.
      if (stopped) await project.resume(rootId).catch(unlessRunning);
    }
    await this.#follow();
    return this.#cancels === before ? "end_turn" : "cancelled";
  }

  async cancel(): Promise<void> {
    const { project, rootId } = this.#options;
    this.#cancels += 1;
    this.#asker.pause();
    if (this.#exists) await project.stop(rootId);
  }

  close(): void {
    this.#closing.abort();
    this.#asker.pause();
  }

  #follow(): Promise<void> {
    this.#following ??= this.#run().finally(() => (this.#following = undefined));
    return this.#following;
  }

  async #run(): Promise<void> {
    const { project, rootId } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      for await (const said of untilIdle(project, this.#teller, signal)) {
        for (const update of this.#updates(said, false)) await this.#update(update);
        // It is asked while others still work.
        if (said.type === "question") await this.#asker.next();
      }
      if (await this.#asker.next()) {
        await this.#asker.settled();
        continue;
      }
      const { seq, title, context } = await project.view(rootId);
      // A message came meanwhile.
      if (this.#teller.seq < Math.max(seq, this.#wanted)) continue;
      if (title !== this.#title) await this.#update({ sessionUpdate: "session_info_update", title });
      this.#title = title;
      if (context.window !== undefined) await this.#update({ sessionUpdate: "usage_update", used: context.tokens, size: context.window });
      return;
    }
  }

  #updates(said: Said, isPast: boolean): readonly SessionUpdate[] {
    const { dir } = this.#options.project;
    switch (said.type) {
      case "text":
        return [{ sessionUpdate: "agent_message_chunk", messageId: said.message, content: { type: "text", text: this.#signed(said) } }];
      case "thinking":
        return [{ sessionUpdate: "agent_thought_chunk", messageId: said.message, content: { type: "text", text: said.text } }];
      case "call": {
        const { call, tool, input } = said;
        const view = toolCallOf(said, dir);
        if (view.content) this.#diffs.set(call, view.content);
        return [{ sessionUpdate: "tool_call", toolCallId: call, name: tool, status: "in_progress", rawInput: input, ...view }];
      }
      case "result": {
        const content = { type: "content" as const, content: { type: "text" as const, text: said.output } };
        const status = said.failed ? "failed" : "completed";
        const diff = this.#diffs.get(said.call) ?? [];
        this.#diffs.delete(said.call);
        return [{ sessionUpdate: "tool_call_update", toolCallId: said.call, status, content: [...diff, content] }];
      }
      case "message":
        // The editor shows its own messages itself.
        if (!isPast && said.msgId?.startsWith(PROTOCOL)) return [];
        return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: said.text } }];
      case "usage":
      case "question":
        return [];
    }
  }

  /** Another agent's message begins with its name. */
  #signed({ agent, message, text }: Extract<Said, { type: "text" }>): string {
    if (this.#speaking === message) return text;
    this.#speaking = message;
    const { project } = this.#options;
    const name = project.team().find(({ id }) => id === agent)?.name ?? agent;
    return agent === this.agentId ? text : `**${name}**: ${text}`;
  }

  #update(update: SessionUpdate): Promise<void> {
    const { client, rootId } = this.#options;
    return client.notify(methods.client.session.update, { sessionId: rootId, update });
  }
}

/** The message has resumed it. */
function unlessRunning(error: unknown): void {
  if (!(error instanceof Refused) || error.code !== "not_stopped") throw error;
}
