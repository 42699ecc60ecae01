// The text syntax in which models without tool calling ask others: rules X1–X31 of docs/SPEC/text-syntax.md. Only the syntax is checked
// here; the same decisions as for tool calls apply afterwards.

/** The speaker, and whose assignment the turn serves, if any. */
export interface AskPlace {
  readonly selfId: string;
  readonly askerId?: string | undefined;
}

/** From the first character of a block to the end of its last line, as in `text.slice(from, to)`. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A block as the tool call that it means. */
type AskCall =
  | { readonly tool: "tellaskBack"; readonly input: { readonly tellaskContent: string } }
  | {
      readonly tool: "tellask";
      readonly input: { readonly targetAgentId: string; readonly sessionSlug: string; readonly tellaskContent: string };
    }
  | { readonly tool: "tellaskSessionless"; readonly input: { readonly targetAgentId: string; readonly tellaskContent: string } }
  | { readonly tool: "freshBootsReasoning"; readonly input: { readonly tellaskContent: string } }
  | { readonly tool: "askHuman"; readonly input: { readonly headline?: string; readonly tellaskContent: string } };

export type TextAsk = AskCall & Span;

/** Why a block that looks like an ask is none: a sentence that tells the model what is valid. */
export interface TextProblem extends Span {
  readonly code: keyof typeof valid;
  readonly message: string;
}

/** In text order. */
export interface TextAsks {
  readonly asks: readonly TextAsk[];
  readonly problems: readonly TextProblem[];
}

/** The asks of a complete text. */
export function parseTextAsks(text: string, place: AskPlace): TextAsks {
  const stream = new TextAskStream(place);
  stream.push(text);
  return stream.end();
}

const MARK = "!?";
/** The most asks and problems read from one text. Each ask opens a dialog, and nobody writes more by hand. */
const MAX_BLOCKS = 100;

/** Reads a text as it arrives. Chunk boundaries make no difference. */
export class TextAskStream {
  readonly #place: AskPlace;
  readonly #asks: TextAsk[] = [];
  readonly #problems: TextProblem[] = [];
  /** The incomplete line, and where it begins. */
  #line = "";
  #from = 0;
  #fence: Fence | undefined;
  #block: Block | undefined;

  constructor(place: AskPlace) {
    this.#place = place;
  }

  /** Returns what this chunk completed. Reported findings are final. */
  push(chunk: string): TextAsks {
    const asks = this.#asks.length;
    const problems = this.#problems.length;
    const lines = chunk.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) this.#endLine(line);
    this.#goOn(last);
    return { asks: this.#asks.slice(asks), problems: this.#problems.slice(problems) };
  }

  /** Returns everything that the text asks. Nothing may be pushed afterwards. */
  end(): TextAsks {
    this.#endLine("");
    this.#endBlock();
    return { asks: this.#asks, problems: this.#problems };
  }

  #goOn(piece: string): void {
    const isBeginning = this.#line.length < MARK.length;
    this.#line += piece;
    // A line's first characters decide whether it continues the block, so an ask is known before the line is complete.
    if (isBeginning && !MARK.startsWith(this.#line.slice(0, MARK.length))) this.#endBlock();
  }

  #endLine(piece: string): void {
    const whole = this.#line + piece;
    const line = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    const from = this.#from;
    this.#line = "";
    this.#from += whole.length + 1;

    if (line.startsWith(MARK) && !this.#fence) {
      this.#block ??= { from, to: from, lines: [] };
      this.#block.lines.push(line.slice(MARK.length));
      this.#block.to = from + line.length;
    } else {
      this.#endBlock();
      this.#fence = fenceAfter(line, this.#fence);
    }
  }

  #endBlock(): void {
    if (!this.#block) return;
    const { from, to, lines } = this.#block;
    this.#block = undefined;
    const told = this.#asks.length + this.#problems.length;
    if (told > MAX_BLOCKS) return;
    const found = told === MAX_BLOCKS ? problemWith(lines[0] ?? "", "too_many") : read(lines, this.#place);
    if (found && "tool" in found) this.#asks.push({ ...found, from, to });
    if (found && "code" in found) this.#problems.push({ ...found, from, to });
  }
}

interface Block {
  readonly from: number;
  to: number;
  /** Without the `!?`. */
  readonly lines: string[];
}

/** The meaning of a block; nothing if it is plain text. */
function read(lines: readonly string[], place: AskPlace): AskCall | Pick<TextProblem, "code" | "message"> | undefined {
  const [first = ""] = lines;
  const problem = (code: TextProblem["code"]) => problemWith(first, code);

  const { headed, body } = sorted(lines);
  if (headed.length === 0) return undefined;
  if (!first.startsWith("@")) return problem("late_name");
  const named = leadingId(first.slice(1));
  if (!named) return problem("bad_name");

  const headline = [named.rest, ...headed.slice(1)].map((line) => line.split(SESSION));
  const sessions = headline.flatMap(([_before, ...behind]) => behind);
  if (sessions.length > 0 && (named.id === "tellasker" || named.id === "human")) return problem("no_session_here");
  if (sessions.length > 1) return problem("two_sessions");
  const session = sessions.map(slugBehind).at(0);
  if (sessions.length > 0 && !session) return problem("bad_slug");

  const head = headline.map(([before = "", ...behind]) =>
    [before.trim(), ...behind.map(() => session?.rest ?? "")].filter(isSaid).join(" "),
  );
  const said = { head: head.filter(isSaid), body };
  if (contentOf(said) === "") return problem("no_content");
  return call(named.id, session?.id, said, place);
}

const problemWith = (first: string, code: TextProblem["code"]): Pick<TextProblem, "code" | "message"> => ({
  code,
  message: `"${beginning(MARK + first)}" asks nobody: ${valid[code]}`,
});

const isSaid = (text: string) => text !== "";

/** What a block says besides whom it asks. */
interface Said {
  readonly head: readonly string[];
  readonly body: readonly string[];
}

const contentOf = ({ head, body }: Said) => withoutBlankEnds([...head, ...body]);

function call(name: string, sessionSlug: string | undefined, said: Said, { selfId, askerId }: AskPlace): AskCall {
  const tellaskContent = contentOf(said);
  if (name === "human") return { tool: "askHuman", input: headlined(said) ?? { tellaskContent } };
  const targetAgentId = name === "self" ? selfId : name;
  if (sessionSlug !== undefined) return { tool: "tellask", input: { targetAgentId, sessionSlug, tellaskContent } };
  if (name === "self") return { tool: "freshBootsReasoning", input: { tellaskContent } };
  if (name === "tellasker" || name === askerId) return { tool: "tellaskBack", input: { tellaskContent } };
  return { tool: "tellaskSessionless", input: { targetAgentId, tellaskContent } };
}

/** A person sees the headline separately from the text, if there are both. */
function headlined({ head, body }: Said): { headline: string; tellaskContent: string } | undefined {
  const tellaskContent = withoutBlankEnds(body);
  return head.length > 0 && tellaskContent !== "" ? { headline: head.join(" "), tellaskContent } : undefined;
}

/** Lines that begin with `@` belong to the headline, except in a code fence of the body: an annotation there is code. */
function sorted(lines: readonly string[]): { headed: string[]; body: string[] } {
  const headed: string[] = [];
  const body: string[] = [];
  let fence: Fence | undefined;
  for (const line of lines) {
    const isHeadline = line.startsWith("@") && !fence;
    (isHeadline ? headed : body).push(line);
    fence = fenceAfter(line, fence);
  }
  return { headed, body };
}

/** Only at the beginning of a word. Whatever follows, a session was intended, so it must not be dropped silently. */
const SESSION = /(?<!\S)!tellaskSession/;

const slugBehind = (text: string) => (/^\s/.test(text) ? leadingId(text.trimStart()) : undefined);

/** An id ends at whitespace or punctuation; a comma or colon right after it belongs to the address. */
function leadingId(text: string): { id: string; rest: string } | undefined {
  const [, id, rest = ""] = /^([a-zA-Z][a-zA-Z0-9_-]*)(?![-_]|[^\s\p{P}\p{S}])[,:，：、]?(.*)$/su.exec(text) ?? [];
  return id === undefined ? undefined : { id, rest: rest.trim() };
}

/** Inner blank lines and the first line's indentation are kept, because they may be Markdown. */
function withoutBlankEnds(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first < 0 ? "" : lines.slice(first).join("\n").trimEnd();
}

/** An open code fence: what closes it. */
interface Fence {
  readonly sign: string;
  readonly length: number;
  readonly deepest: number;
}

/** The fence that is open after this line, as in CommonMark. */
function fenceAfter(line: string, open: Fence | undefined): Fence | undefined {
  return open ? (closes(line, open) ? undefined : open) : opened(line);
}

/** A fence may follow list markers. If it were missed there, its closing line would be taken for an opening one. */
function opened(line: string): Fence | undefined {
  const [, items = "", signs = "", info = ""] = /^ {0,3}((?:(?:[-+*]|\d{1,9}[.)]) {1,4})*)(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
  const sign = signs.slice(0, 1);
  if (sign === "" || (sign === "`" && info.includes("`"))) return undefined;
  return { sign, length: signs.length, deepest: items.length + 3 };
}

function closes(line: string, { sign, length, deepest }: Fence): boolean {
  const [, indent = "", signs = ""] = /^( *)(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return signs.startsWith(sign) && signs.length >= length && indent.length <= deepest;
}

const MAX_SHOWN_CHARACTERS = 60;

/** Enough of a line to identify it. */
function beginning(line: string): string {
  const letters = Array.from(line.slice(0, 2 * MAX_SHOWN_CHARACTERS + 2));
  return letters.length <= MAX_SHOWN_CHARACTERS ? line : `${letters.slice(0, MAX_SHOWN_CHARACTERS).join("").trimEnd()}…`;
}

const valid = {
  late_name:
    "the first line of a block names whom it asks (!?@name …). Put that line first, or a blank line before it, or a space before an @ that names nobody (!? @…).",
  bad_name:
    "write tellasker, human, self or an agent's id (a letter, then letters, digits, _ or -) directly after !?@, and then a space or punctuation.",
  no_session_here: "!tellaskSession goes with an agent's id or with @self. Ask @tellasker and @human without it.",
  two_sessions: "a headline may contain !tellaskSession only once. For another session, begin another block after a blank line.",
  bad_slug:
    "write a space and a slug (a letter, then letters, digits, _ or -) after !tellaskSession, and then a space or punctuation, as in !?@name !tellaskSession my-topic.",
  too_many: `one text may contain at most ${MAX_BLOCKS} asks. This one and those after it were not read; ask them in your next message.`,
  no_content: "it says nothing. Write what you ask after the name, or on the next lines, each beginning with !?.",
} as const;
