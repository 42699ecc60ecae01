import {
  type Card,
  isHeldSection,
  type Judging,
  parseTextAsks,
  type StepRef,
  tooLarge,
  type Tree,
  turnAt,
  type Verdict,
  verdictOn,
} from "@colloquy/core";
import {
  type ActClass,
  CallId,
  type CallPart,
  builtinInputs,
  isCall,
  isDocumentTool,
  isBuiltinTool,
  isTaskTool,
  isSaying,
  type Part,
  readsDocument,
} from "@colloquy/schema";
import { z } from "zod";
import { callCard, classesOf, reasonFor } from "../calls/call-card.ts";
import type { ProjectContext } from "../engine/project-context.ts";
import type { RawCall } from "../engine/runner.ts";
import type { RunRef } from "../engine/run-ref.ts";
import type { TeamMember } from "../team/team.ts";
import type { Tool } from "../calls/tool.ts";

export interface Judged {
  /** Calls that won't run, with the text for the model. */
  readonly refused: ReadonlyMap<string, string>;
  /** Calls that a person must approve, with exactly what will happen. */
  readonly approvals: ReadonlyMap<string, Card>;
  /** Calls that people are notified of. */
  readonly notices: ReadonlyMap<string, Card & { readonly class: ActClass }>;
}

/** The calls of a step while they are judged. */
interface Hearing {
  readonly tree: Tree;
  readonly nowMs: number;
  readonly refused: Map<string, string>;
  readonly approvals: Map<string, Card>;
  readonly notices: Map<string, Card & { readonly class: ActClass }>;
}

const NOTHING: Judged = { refused: new Map(), approvals: new Map(), notices: new Map() };

/** What an agent may call in a step. */
export interface StepRoom {
  /** Why no tool may be used here, if so. */
  readonly ban: string | undefined;
  /** The names of all tools that the model was offered, built-in ones included. */
  readonly offered: readonly string[];
}

/** The calls of one step. They get our own ids, and record how their tools run. */
export class StepCalls {
  readonly #context: ProjectContext;
  readonly #ref: RunRef;
  readonly #member: TeamMember;
  readonly #room: StepRoom;
  readonly #taken: { readonly part: CallPart; readonly raw: string | undefined }[] = [];
  readonly #problems = new Map<string, string>();

  constructor(context: ProjectContext, ref: RunRef, member: TeamMember, room: StepRoom) {
    this.#context = context;
    this.#ref = ref;
    this.#member = member;
    this.#room = room;
  }

  take({ tool: name, input, raw, opaque }: RawCall): CallPart {
    const tool = this.#member.tools.get(name);
    const part: CallPart = {
      call: CallId.parse(this.#context.rulebook.idIn(this.#ref.rootId)),
      tool: name,
      input: raw === undefined ? input : { unreadable: raw },
      kind: isDocumentTool(name) ? (readsDocument(name) ? "reads" : "effects") : isBuiltinTool(name) ? "house" : (tool?.kind ?? "reads"),
      ...((tool?.repeatable || isDocumentTool(name)) && { repeatable: true }),
      ...(tool?.polls && { polls: true }),
      ...(opaque !== undefined && { opaque }),
    };
    this.#taken.push({ part, raw });
    return part;
  }

  /** Asks written by a model without tool calling: they become calls, which are not sent back to it as such. */
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

  /** Built-in inputs have our schemas; only the owner of a main dialog changes its Taskdoc. */
  #documentProblem(tree: Tree, part: CallPart): string | undefined {
    const texts = this.#context.rulebook.texts();
    const parsed = isBuiltinTool(part.tool) ? builtinInputs[part.tool].safeParse(part.input) : undefined;
    if (parsed && !parsed.success) return texts.badInput(part.tool, z.prettifyError(parsed.error));
    if (isHeldSection(tree, this.#context.rulebook.rules().sections(), part)) return texts.askedFirst(part.tool);
    const dialog = tree.dialogs.get(this.#ref.dialog);
    if (part.tool !== "change_mind" || !dialog) return undefined;
    if (dialog.side) return texts.askBackToChange;
    if (dialog.agent !== this.#ref.agent) return texts.onlyItsOwnAgent(part.tool, dialog.agent);
    return tooLarge(builtinInputs.change_mind.parse(part.input).content, this.#ref.agent, this.#context.rulebook.rules(), true);
  }

  async judge(tree: Tree, nowMs: number): Promise<Judged> {
    if (this.#taken.length === 0) return NOTHING;
    const texts = this.#context.rulebook.texts();
    const refused = new Map<string, string>(this.#problems);
    const hearing: Hearing = { tree, nowMs, refused, approvals: new Map(), notices: new Map() };
    const { ban, offered } = this.#room;
    for (const { part, raw } of this.#taken) {
      if (refused.has(part.call)) continue;
      const tool = this.#member.tools.get(part.tool);
      if (ban !== undefined && (part.kind !== "house" || ban === texts.noToolsHere)) refused.set(part.call, ban);
      else if (isTaskTool(part.tool) && !this.#member.hasTasks) refused.set(part.call, texts.unknownTool(part.tool, offered));
      else if (raw !== undefined) refused.set(part.call, texts.unreadableInput(part.tool));
      else if (isDocumentTool(part.tool)) {
        const problem = this.#documentProblem(tree, part);
        if (problem !== undefined) refused.set(part.call, problem);
        else await this.#weigh(hearing, part);
      } else if (part.kind === "house") await this.#weigh(hearing, part);
      else if (!tool) {
        const why = this.#member.absent?.(part.tool);
        refused.set(part.call, why === undefined ? texts.unknownTool(part.tool, offered) : texts.toolAbsent(part.tool, why));
      } else {
        const parsed = await tool.parse(part.input);
        if (!parsed.ok) refused.set(part.call, texts.badInput(part.tool, parsed.problems));
        else await this.#weigh(hearing, part, { tool, value: parsed.value });
      }
    }
    const { approvals, notices } = hearing;
    return { refused, approvals, notices };
  }

  /** Classes, permissions and the tool's own rule: the strictest counts. Granted calls need not ask. */
  async #weigh(hearing: Hearing, part: CallPart, own?: { readonly tool: Tool; readonly value: unknown }): Promise<void> {
    const { tree, nowMs, refused, approvals, notices } = hearing;
    const { deps, rulebook } = this.#context;
    const texts = rulebook.texts();
    await own?.tool.staged?.tryOut?.(deps.dir);
    const verdict = verdictOn(part, rulebook.actRules(tree), own?.tool.class, judgingOf(own?.tool, deps.dir));
    const why = own ? wantsApproval(own.tool, own.value, verdict) : false;
    const asks = verdict.verdict === "ask" || why !== false;
    if (verdict.verdict === "deny") return void refused.set(part.call, texts.forbidden(part.tool, verdict.pattern ?? part.tool));
    if (isBuiltinTool(part.tool) && !isValid(part)) return;
    const isFree = !asks || rulebook.grantFor(tree, this.#ref, part, nowMs) !== undefined;
    if (isFree && verdict.findings.length === 0) return;
    const reasons = [reasonFor(verdict, texts), typeof why === "string" ? why : ""].filter((one) => one !== "").join("\n");
    if (!isFree) {
      const card = await callCard(this.#context, { tree, ref: this.#ref, part }, reasons);
      approvals.set(part.call, { ...card, classes: classesOf(verdict) });
    } else if (verdict.verdict === "notify") {
      const [first = { class: "scopeChanges" as const }] = verdict.findings;
      notices.set(part.call, { ...(await callCard(this.#context, { tree, ref: this.#ref, part }, reasons)), class: first.class });
    }
  }

  /** Calls granted since they were judged need not ask any more. */
  stillAsking(tree: Tree, approvals: Judged["approvals"]): Judged["approvals"] {
    const isFree = (part: CallPart) => this.#context.rulebook.grantFor(tree, this.#ref, part) !== undefined;
    const freed = approvals.size === 0 ? [] : this.#taken.filter(({ part }) => approvals.has(part.call) && isFree(part));
    return freed.length === 0 ? approvals : new Map([...approvals].filter(([call]) => !freed.some(({ part }) => part.call === call)));
  }

  /** A call that needs approval counts as one with effects, and runs in order with the others. */
  recorded(parts: readonly Part[], { approvals }: Judged): readonly Part[] {
    if (approvals.size === 0) return parts;
    return parts.map((part) => (isCall(part) && part.kind === "house" && approvals.has(part.call) ? { ...part, kind: "effects" } : part));
  }
}

const isValid = ({ tool, input }: CallPart): boolean => isBuiltinTool(tool) && builtinInputs[tool].safeParse(input).success;

/** A call that can touch nothing but its layer is judged after it has run. */
export const judgingOf = (tool: Tool | undefined, dir: string): Judging => (tool?.staged?.holdsAll(dir) ? "byEffects" : "byWords");

/** A rule that throws can't say no: then a person decides. */
export function wantsApproval(tool: Tool, input: unknown, { isAllowed }: Verdict): boolean | string {
  try {
    const wanted = tool.approval(input);
    return wanted === false && tool.unsure !== undefined && !isAllowed ? tool.unsure : wanted;
  } catch (error) {
    return `Whether this needs approval could not be told: ${error instanceof Error ? error.message : String(error)}`;
  }
}
