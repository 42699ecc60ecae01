import type { CallPart, Permission } from "@colloquy/schema";
import { fitsGlob, pathsMeant, patternsMeant, type ProjectPlace } from "./path.ts";
import { newScope } from "./shell-script.ts";
import { fromVerb } from "./started-by.ts";
import { type Program, programsIn } from "./unwrap.ts";
import { fitsSteps, literally } from "./wildcard.ts";

type AnyCall = Pick<CallPart, "tool" | "input">;

/** `tool`, or `tool(pattern)`. `*` matches anything in the call's main argument. In a path `*` stays within a name, `**` does not. */
export function matches(pattern: string, part: AnyCall, place: ProjectPlace = {}): boolean {
  const { tool, argument } = readPattern(pattern);
  if (tool === undefined || !fits(tool, part.tool, ANYTHING)) return false;
  if (argument === undefined) return true;
  // A tool may get several main arguments, and we don't know which it uses. To allow the call, all must match.
  return mainArguments(part.input).every((main) => fitting(argument, main, place).every(Boolean));
}

/** Whether it matches; for a path, once as given and once as its real path. */
function fitting(argument: string, main: Argument, place: ProjectPlace): readonly boolean[] {
  if (main.kind === "path") {
    const patterns = patternsMeant(argument, place);
    return pathsMeant(main.text, ".", place).map((path) => patterns.some((pattern) => fitsGlob(pattern, path)));
  }
  return [fits(argument, main.text, main.kind === "command" ? WORDS : ANYTHING)];
}

/** The strictest permission for a call. To forbid or ask, a command is parsed; to allow, it must match as written. */
export function permissionFor(
  permissions: Readonly<Record<string, Permission>>,
  part: AnyCall,
  place: ProjectPlace = {},
): { readonly permission: Permission; readonly pattern: string } | undefined {
  const inside = insideOf(part);
  const found = Object.entries(permissions).filter(
    ([pattern, permission]) => matches(pattern, part, place) || (permission !== "allow" && matchesInside(pattern, part, inside, place)),
  );
  for (const wanted of ["deny", "ask", "allow"] as const) {
    const [pattern] = found.find(([, permission]) => permission === wanted) ?? [];
    if (pattern !== undefined) return { permission: wanted, pattern };
  }
  return undefined;
}

/** Matches one of its arguments, or any program that a command finally runs. */
function matchesInside(pattern: string, part: AnyCall, inside: () => readonly string[], place: ProjectPlace): boolean {
  const { tool, argument } = readPattern(pattern);
  if (tool === undefined || argument === undefined || !fits(tool, part.tool, ANYTHING)) return false;
  const isMeant = mainArguments(part.input).some((main) => fitting(argument, main, place).some(Boolean));
  return isMeant || inside().some((one) => fits(argument, one, ANYTHING));
}

/** As written, and without options before git's verb: `git push*` also forbids `git -C . push`. */
function spellings({ name, args }: Program): readonly string[] {
  const whole = [name, ...args].join(" ");
  return name === "git" ? [whole, ["git", ...fromVerb(args)].join(" ")] : [whole];
}

/** The programs that a command runs. Parsed on demand, once for all patterns. */
function insideOf(part: AnyCall): () => readonly string[] {
  let programs: readonly string[] | undefined;
  return () =>
    (programs ??= mainArguments(part.input).flatMap(({ kind, text }) =>
      kind === "command" ? programsIn(text, newScope()).programs.flatMap(spellings) : [],
    ));
}

/** The parts of `tool(argument)`. */
export function readPattern(pattern: string): { readonly tool: string | undefined; readonly argument: string | undefined } {
  const [, tool, argument] = /^([^(]+?)(?:\((.*)\))?$/s.exec(pattern.trim()) ?? [];
  return { tool, argument };
}

/** The characters that `*` matches. */
type Wild = (sign: string) => boolean;

const ANYTHING: Wild = () => true;
/** In a command, `*` matches further words but no further command: allowing "npm test*" does not allow "npm test; rm -rf /". */
const WORDS: Wild = (sign) => !NOT_WORDS.test(sign);
const NOT_WORDS = /[;&|<>$(){}\\\n\r`]/;

interface Argument {
  readonly kind: "command" | "path" | "text";
  readonly text: string;
}

/** The command, the path, or both if both are given; else the only text in the input, or the whole input as JSON. */
function mainArguments(input: unknown): readonly Argument[] {
  const fields = (input !== null && typeof input === "object" ? input : { input }) as Readonly<Record<string, unknown>>;
  const named = (["command", "path"] as const).flatMap((kind): Argument[] => {
    const text = fields[kind];
    return typeof text === "string" ? [{ kind, text }] : [];
  });
  if (named.length > 0) return named;
  const values = Object.values(fields);
  return [{ kind: "text", text: values.length === 1 && typeof values[0] === "string" ? values[0] : JSON.stringify(input) }];
}

function fits(pattern: string, text: string, takes: Wild): boolean {
  const isOrdinary = takes === ANYTHING || !NOT_WORDS.test(text);
  if (isOrdinary || !NOT_WORDS.test(pattern)) return isOrdinary && fitsInOrder(pattern.split(/\*+/), text);
  const pieces = pattern.split(/(\*+)/);
  return fitsSteps(
    pieces.flatMap((piece) => (piece.startsWith("*") ? [{ takes, often: true }] : literally(piece))),
    text,
  );
}

/** True if the text begins with the first piece, ends with the last, and has the others between them in order. */
function fitsInOrder(pieces: readonly string[], text: string): boolean {
  const [first = "", ...others] = pieces;
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const piece of others) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return from <= text.length - last.length;
}
