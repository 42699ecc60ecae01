import { parseTextAsks, type StepRef, type Tree, turnAt } from "@colloquy/core";
import { CallId, type CallPart, houseInputs, isDocumentTool, isHouseTool, isSaying, type Part } from "@colloquy/schema";
import { z } from "zod";
import type { Engine } from "./engine.ts";
import { isGranted } from "./grants.ts";
import type { RawCall } from "./runner.ts";
import type { RunRef } from "./run-ref.ts";
import type { TeamMember } from "./team.ts";
import type { Tool } from "./tool.ts";

export interface Judged {
  /** Calls that will not be run, with what the model is told. */
  readonly refused: ReadonlyMap<string, string>;
  /** Calls that a person must approve, with exactly what will happen. */
  readonly approvals: ReadonlyMap<string, { readonly headline: string; readonly text: string }>;
}

/** The calls of one step. They get our own ids, and how their tools are run is written down with them. */
export class StepCalls {
  readonly #engine: Engine;
  readonly #ref: RunRef;
  readonly #member: TeamMember;
  /** Why no tool may be used here, if so. */
  readonly #ban: string | undefined;
  readonly #taken: { readonly part: CallPart; readonly raw: string | undefined }[] = [];
  readonly #problems = new Map<string, string>();

  constructor(engine: Engine, ref: RunRef, member: TeamMember, ban: string | undefined) {
    this.#engine = engine;
    this.#ref = ref;
    this.#member = member;
    this.#ban = ban;
  }

  take({ tool: name, input, raw, opaque }: RawCall): CallPart {
    const tool = this.#member.tools.get(name);
    const part: CallPart = {
      call: CallId.parse(this.#engine.idIn(this.#ref.rootId)),
      tool: name,
      input: raw === undefined ? input : { unreadable: raw },
      kind: isDocumentTool(name) ? (name === "recall" ? "reads" : "effects") : isHouseTool(name) ? "house" : (tool?.kind ?? "reads"),
      ...((tool?.repeatable || isDocumentTool(name)) && { repeatable: true }),
      ...(tool?.polls && { polls: true }),
      ...(opaque !== undefined && { opaque }),
    };
    this.#taken.push({ part, raw });
    return part;
  }

  /** Asks that a model without tools has written: they become calls, which are not sent back to it as such. */
  inText(parts: readonly Part[], tree: Tree, step: StepRef): readonly Part[] {
    const text = parts
      .filter(isSaying)
      .map((part) => part.saying)
      .join("\n");
    const cause = turnAt(tree, step)?.cause;
    const asker = cause?.kind === "assignment" ? tree.asks.get(cause.ask)?.from.agent : undefined;
    const { asks, problems } = parseTextAsks(text, { selfId: this.#ref.agent, ...(asker !== undefined && { askerId: asker }) });
    const written = asks.map(({ tool, input }): CallPart => ({
      ...this.take({ tool, input, raw: undefined, opaque: undefined }),
      inText: true,
    }));
    const unreadable = problems.map(({ message }): CallPart => {
      const part = { ...this.take({ tool: "askHuman", input: {}, raw: undefined, opaque: undefined }), inText: true };
      this.#problems.set(part.call, message);
      return part;
    });
    return [...parts, ...written, ...unreadable];
  }

  /** Their inputs are the house's; the Taskdoc is changed in main dialogs only, by their own agent. */
  #documentProblem(tree: Tree, part: CallPart): string | undefined {
    const texts = this.#engine.texts();
    const parsed = isHouseTool(part.tool) ? houseInputs[part.tool].safeParse(part.input) : undefined;
    if (parsed && !parsed.success) return texts.badInput(part.tool, z.prettifyError(parsed.error));
    const dialog = tree.dialogs.get(this.#ref.dialog);
    if (part.tool !== "change_mind" || !dialog) return undefined;
    if (dialog.side) return texts.askBackToChange;
    return dialog.agent === this.#ref.agent ? undefined : texts.onlyItsOwnAgent(part.tool, dialog.agent);
  }

  async judge(tree: Tree, nowMs: number): Promise<Judged> {
    const texts = this.#engine.texts();
    const refused = new Map<string, string>(this.#problems);
    const approvals = new Map<string, { headline: string; text: string }>();
    for (const { part, raw } of this.#taken) {
      if (refused.has(part.call)) continue;
      const tool = this.#member.tools.get(part.tool);
      if (this.#ban !== undefined && (part.kind !== "house" || this.#ban === texts.noToolsHere)) refused.set(part.call, this.#ban);
      else if (raw !== undefined) refused.set(part.call, texts.unreadableInput(part.tool));
      else if (isDocumentTool(part.tool)) {
        const problem = this.#documentProblem(tree, part);
        if (problem !== undefined) refused.set(part.call, problem);
      } else if (part.kind === "house") continue;
      else if (!tool) refused.set(part.call, texts.unknownTool(part.tool, [...this.#member.tools.keys()]));
      else {
        const parsed = await tool.parse(part.input);
        if (!parsed.ok) refused.set(part.call, texts.badInput(part.tool, parsed.problems));
        else {
          const why = approvalOf(tool, parsed.value);
          if (why === false || isGranted(this.#engine.grants(), this.#ref, part, nowMs)) continue;
          approvals.set(part.call, approvalCard(part, why));
        }
      }
    }
    return { refused, approvals };
  }
}

/** A rule that fails cannot say no: then a person decides. */
function approvalOf(tool: Tool, input: unknown): boolean | string {
  try {
    return tool.approval(input);
  } catch (error) {
    return `Whether this needs approval could not be told: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What exactly will happen, for the person who decides. */
function approvalCard(part: CallPart, why: boolean | string): { headline: string; text: string } {
  const input = JSON.stringify(part.input, undefined, 2);
  const short = JSON.stringify(part.input);
  const headline = `Run ${part.tool}${short.length <= 60 ? ` ${short}` : ""}`;
  return { headline, text: `${typeof why === "string" ? `${why}\n\n` : ""}${part.tool}\n${input}` };
}
