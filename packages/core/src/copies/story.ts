import { isCall, type Line, type StoryRow, textOf, type TreeEvent, type TreeEventOf } from "@colloquy/schema";

/** What a comparison counts, at the event where it happened. */
export interface StoryFact {
  readonly seq: number;
  readonly steps?: number;
  readonly tokens?: number;
  readonly cost?: number;
  readonly tool?: string;
  readonly files?: readonly string[];
}

const FILE_TOOLS = new Set(["write_file", "edit_file"]);

/** A tree's log as a story: what was said and done, in order. */
export class Story {
  readonly rows: StoryRow[] = [];
  readonly facts: StoryFact[] = [];
  readonly #dialogs = new Map<string, number>();
  readonly #calls = new Map<string, { readonly tool: string; readonly file: string | undefined }>();

  add({ seq, at, events }: Line<TreeEvent>): void {
    for (const [nth, event] of events.entries()) this.#event(event, seq + nth, at);
  }

  #event(event: TreeEvent, seq: number, at: string): void {
    if (event.type === "dialog.created") this.#dialogs.set(event.dialog, this.#dialogs.size);
    const row = (who: string | undefined, kind: StoryRow["kind"], text: string) => {
      if (text !== "") this.rows.push({ seq, at, dialog: this.#dialogs.get(event.dialog) ?? 0, who: who ?? "", kind, text });
    };
    switch (event.type) {
      case "message.added":
        return row(event.by, "message", event.content);
      case "step.ended":
        this.#step(event, seq);
        row(event.agent, "said", textOf(event.parts));
        for (const part of event.parts.filter(isCall)) row(event.agent, "called", `${part.tool} ${JSON.stringify(part.input)}`);
        return;
      case "call.ran":
        this.facts.push({ seq, files: event.effects.files.flatMap(({ path, from }) => (from === undefined ? [path] : [from, path])) });
        return;
      case "call.ended":
        this.#ended(event, seq);
        return row(event.agent, "result", `${event.outcome === undefined ? "" : `${event.outcome}: `}${event.output}`);
      case "ask.opened":
        return row(event.agent, "asked", `${event.recipient}: ${event.content}`);
      case "ask.answered":
        return row(event.agent, "answer", event.content);
      case "question.asked":
        return row(event.agent, "question", event.headline);
      case "question.closed":
        return row(
          event.by,
          "answer",
          [event.verdict ?? (event.as === "answered" ? "" : event.as), ...(event.choice ?? []), event.content ?? ""]
            .filter(Boolean)
            .join(" · "),
        );
      default:
        return;
    }
  }

  #step({ parts, usage, cost = 0 }: TreeEventOf<"step.ended">, seq: number): void {
    this.facts.push({ seq, steps: 1, tokens: usage ? usage.input + usage.output : 0, cost });
    for (const { call, tool, input } of parts.filter(isCall)) {
      const path = FILE_TOOLS.has(tool) && typeof input === "object" && input !== null && "path" in input ? input.path : undefined;
      this.#calls.set(call, { tool, file: typeof path === "string" ? path : undefined });
    }
  }

  #ended({ call, outcome }: TreeEventOf<"call.ended">, seq: number): void {
    const made = this.#calls.get(call);
    if (!made || outcome === "refused") return;
    this.facts.push({ seq, tool: made.tool, ...(made.file !== undefined && outcome === undefined && { files: [made.file] }) });
  }
}
