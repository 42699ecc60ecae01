import type { BridgeProject, Said } from "@colloquy/bridge";

type AgUiEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** One agent's messages, thoughts and calls as AG-UI's events; each message is closed before the next begins. */
export class RunEvents {
  readonly #project: BridgeProject;
  /** What is being said or thought. */
  #open: { readonly type: "text" | "thinking"; readonly message: string; readonly id: string } | undefined;
  #nth = 0;

  constructor(project: BridgeProject) {
    this.#project = project;
  }

  of(said: Said): readonly AgUiEvent[] {
    switch (said.type) {
      case "text":
      case "thinking":
        return [...this.#begin(said), { type: contentOf[said.type], messageId: this.#open?.id, delta: said.text }];
      case "call":
        return [
          ...this.close(),
          { type: "TOOL_CALL_START", toolCallId: said.call, toolCallName: said.tool },
          { type: "TOOL_CALL_ARGS", toolCallId: said.call, delta: JSON.stringify(said.input ?? {}) },
          { type: "TOOL_CALL_END", toolCallId: said.call },
        ];
      case "result":
        return [{ type: "TOOL_CALL_RESULT", messageId: `result-${said.call}`, toolCallId: said.call, content: said.output, role: "tool" }];
      case "usage":
      case "message":
      case "question":
        return [];
    }
  }

  /** Ends the open message. */
  close(): readonly AgUiEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (!open) return [];
    if (open.type === "text") return [{ type: "TEXT_MESSAGE_END", messageId: open.id }];
    return [
      { type: "REASONING_MESSAGE_END", messageId: open.id },
      { type: "REASONING_END", messageId: open.id },
    ];
  }

  #begin({ type, message, agent }: Extract<Said, { type: "text" | "thinking" }>): readonly AgUiEvent[] {
    if (this.#open?.message === message && this.#open.type === type) return [];
    const ended = this.close();
    // A generation may think and speak in turn: each is a message of its own.
    const id = `${message}-${(this.#nth += 1)}`;
    this.#open = { type, message, id };
    if (type === "text") return [...ended, { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant", name: this.#nameOf(agent) }];
    return [...ended, { type: "REASONING_START", messageId: id }, { type: "REASONING_MESSAGE_START", messageId: id, role: "reasoning" }];
  }

  #nameOf(agent: string): string {
    return this.#project.team().find(({ id }) => id === agent)?.name ?? agent;
  }
}

const contentOf = { text: "TEXT_MESSAGE_CONTENT", thinking: "REASONING_MESSAGE_CONTENT" } as const;
