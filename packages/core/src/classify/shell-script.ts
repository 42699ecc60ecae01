import { expandedBraces } from "./braces.ts";
import { Effort, MAX_SCRIPT } from "./effort.ts";

/** A word of a command. `isKnown` is false if part of it is only known at run time. */
export interface Word {
  readonly text: string;
  readonly isKnown: boolean;
}

/** One command of a script as the shell would run it, with quotes, variables and continuations resolved. */
export interface ShellCommand {
  readonly words: readonly Word[];
  /** Files that it writes by redirection. */
  readonly writes: readonly Word[];
  /** Variables set only for this command, by the words before it. */
  readonly sets: readonly Word[];
  /** Its input from a here-document or here-string. */
  readonly feed: Word | undefined;
  /** The command whose output it reads. */
  readonly pipedFrom: ShellCommand | undefined;
  /** The folder after an earlier `cd`, if known. */
  readonly folder: string;
}

const MAX_CHARACTERS = 10_000;

/** Deeper nesting is not written by hand. */
const MAX_DEPTH = 12;

/** Every command in a script, including those in branches, loops, functions, subshells and substitutions. */
export function commandsIn(script: string, scope: Scope = newScope(), depth = 0): readonly ShellCommand[] {
  return new ScriptReader(script, scope, depth).read();
}

/** What the script has set so far. */
export interface Scope {
  readonly variables: Map<string, Word>;
  readonly aliases: Map<string, string>;
  /** Files that the script has written. Running one of them runs something that does not exist yet. */
  readonly written: Set<string>;
  readonly effort: Effort;
  folder: string;
}

export const newScope = (folder = "."): Scope => ({
  variables: new Map(),
  aliases: new Map(),
  written: new Set(),
  effort: new Effort(),
  folder,
});

/** Characters without special meaning anywhere in a word. */
const ORDINARY = /[\w./,:=@%+~^*?!-]+/y;
/** The same between double quotes. */
const QUOTED = /[^"\\$`]+/y;
const EMPTY: Word = { text: "", isKnown: true };
const UNKNOWN: Word = { text: "", isKnown: false };
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;
const RESERVED = new Set(["if", "then", "elif", "else", "do", "while", "until", "{", "}", "!", "fi", "done", "esac", "coproc", "in"]);

class ScriptReader {
  readonly #script: string;
  readonly #scope: Scope;
  readonly #depth: number;
  readonly #found: ShellCommand[] = [];
  #at = 0;
  #words: Word[] = [];
  #writes: Word[] = [];
  #feed: Word | undefined;
  #pipedFrom: ShellCommand | undefined;
  /** The current word; undefined between words. */
  #word: { text: string; isKnown: boolean; braces: boolean; isQuoted: boolean } | undefined;
  #sets: Word[] = [];
  #redirect: "write" | "read" | "string" | "here" | undefined;
  #heres: { readonly end: string; readonly isQuoted: boolean; readonly give: (text: string) => void }[] = [];

  constructor(script: string, scope: Scope, depth: number) {
    this.#script = script.replace(/\\\r?\n/g, "");
    this.#scope = scope;
    this.#depth = depth;
  }

  read(): readonly ShellCommand[] {
    if (this.#depth > MAX_DEPTH || this.#script.length > MAX_SCRIPT) this.#scope.effort.giveUp();
    if (!this.#scope.effort.pay(this.#script.length)) return [];
    while (this.#at < this.#script.length && !this.#scope.effort.isExceeded) this.#next();
    this.#endCommand(undefined);
    return this.#found;
  }

  #next(): void {
    ORDINARY.lastIndex = this.#at;
    const [run] = ORDINARY.exec(this.#script) ?? [];
    if (run !== undefined) {
      this.#say({ text: run, isKnown: true });
      this.#at += run.length;
      return;
    }
    const sign = this.#script[this.#at] ?? "";
    const two = this.#script.slice(this.#at, this.#at + 2);
    if (sign === "\n") {
      this.#at += 1;
      this.#endCommand(undefined);
      this.#readHeres();
    } else if (/\s/.test(sign)) {
      this.#at += 1;
      this.#endWord();
    } else if (sign === "#" && this.#word === undefined) {
      while (this.#at < this.#script.length && this.#script[this.#at] !== "\n") this.#at += 1;
    } else if (two === "<(" || two === ">(") {
      this.#at += 2;
      this.#inner(this.#upTo(")"));
      this.#say(UNKNOWN);
    } else if (sign === "<" || sign === ">" || two === "&>") this.#redirection();
    else if (sign === "&" || sign === ";" || sign === "|" || sign === "(" || sign === ")") this.#separator(sign, two);
    else this.#piece(sign);
  }

  #separator(sign: string, two: string): void {
    this.#at += two === "&&" || two === "||" || two === "|&" || two === ";;" ? 2 : 1;
    this.#endCommand(sign === "|" && two !== "||" ? "pipe" : undefined);
  }

  #redirection(): void {
    const [, signs = ""] = /^(&>>?|<<<|<<-?|<>|<&|>>|>\||>&|<|>)/.exec(this.#script.slice(this.#at, this.#at + 4)) ?? [];
    // A number right before a redirection is a file descriptor, not a word.
    if (this.#word && /^\d+$/.test(this.#word.text)) this.#word = undefined;
    this.#endWord();
    this.#at += signs.length || 1;
    if (signs === "<<<") this.#redirect = "string";
    else if (signs.startsWith("<<")) this.#redirect = "here";
    else this.#redirect = signs.startsWith("<") ? "read" : "write";
  }

  /** Reads one piece of a word. */
  #piece(sign: string): void {
    if (sign === "\\") {
      this.#say({ text: this.#script[this.#at + 1] ?? "", isKnown: true }, true);
      this.#at += 2;
    } else if (sign === "'") {
      const end = this.#script.indexOf("'", this.#at + 1);
      const to = end < 0 ? this.#script.length : end;
      this.#say({ text: this.#script.slice(this.#at + 1, to), isKnown: true }, true);
      this.#at = to + 1;
    } else if (sign === '"') this.#doubleQuoted();
    else if (sign === "`") {
      this.#at += 1;
      this.#say(this.#inner(this.#upTo("`").replace(/\\([`$\\])/g, "$1")));
    } else if (sign === "$") this.#dollar(false);
    else {
      this.#say({ text: sign, isKnown: true });
      if (sign === "{" && this.#word) this.#word.braces = true;
      this.#at += 1;
    }
  }

  #doubleQuoted(): void {
    this.#say(EMPTY, true);
    for (this.#at += 1; this.#at < this.#script.length;) {
      QUOTED.lastIndex = this.#at;
      const [run] = QUOTED.exec(this.#script) ?? [];
      if (run !== undefined) {
        this.#say({ text: run, isKnown: true });
        this.#at += run.length;
      }
      const sign = this.#script[this.#at] ?? "";
      if (sign === '"' || sign === "") break;
      if (sign === "\\") {
        const next = this.#script[this.#at + 1] ?? "";
        this.#say({ text: /["\\$`]/.test(next) ? next : `\\${next}`, isKnown: true });
        this.#at += 2;
      } else if (sign === "$") this.#dollar(true);
      else {
        this.#at += 1;
        this.#say(this.#inner(this.#upTo("`")));
      }
    }
    this.#at += 1;
  }

  #dollar(isQuoted: boolean): void {
    const rest = this.#script.slice(this.#at, this.#at + 3);
    if (rest === "$((") {
      this.#at += 3;
      this.#within(this.#upTo("))"));
      this.#say({ text: "0", isKnown: false });
    } else if (rest.startsWith("$(")) {
      this.#at += 2;
      const value = this.#inner(this.#upTo(")"));
      if (isQuoted) this.#say(value);
      else this.#split(value);
    } else if (rest.startsWith("$'") && !isQuoted) {
      const from = this.#at + 2;
      this.#at = this.#endOfQuote("'", from);
      this.#say({ text: unescaped(this.#script.slice(from, this.#at)), isKnown: true });
      this.#at += 1;
    } else if (rest.startsWith("${")) {
      this.#at += 2;
      const value = this.#parameter(this.#upTo("}"));
      if (isQuoted) this.#say(value);
      else this.#split(value);
    } else {
      const [name] = /^\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/.exec(this.#script.slice(this.#at, this.#at + 80)) ?? [];
      this.#at += name?.length ?? 1;
      if (name === undefined) return this.#say({ text: "$", isKnown: true });
      const value = this.#variable(name.slice(1));
      if (isQuoted) this.#say(value);
      else this.#split(value);
    }
  }

  #variable(name: string): Word {
    if (name === "IFS") return { text: " ", isKnown: true };
    const value = this.#scope.variables.get(name) ?? UNKNOWN;
    return this.#scope.effort.pay(value.text.length) ? value : UNKNOWN;
  }

  #parameter(inside: string): Word {
    this.#within(inside);
    const [, name = "", how = "", other = ""] = /^([A-Za-z_][A-Za-z0-9_]*)(:?[-=+])?([\s\S]*)$/.exec(inside) ?? [];
    if (how === "") return other === "" ? this.#variable(name) : UNKNOWN;
    const known = this.#scope.variables.get(name);
    if (how.endsWith("+")) return known ? { text: other, isKnown: true } : EMPTY;
    return known ?? { text: other, isKnown: true };
  }

  /** The text up to the closing character, skipping quotes and brackets inside. */
  #upTo(close: string): string {
    const from = this.#at;
    let depth = 0;
    for (; this.#at < this.#script.length; this.#at += 1) {
      const sign = this.#script[this.#at] ?? "";
      if (depth === 0 && this.#script.startsWith(close, this.#at)) break;
      if (sign === "\\") this.#at += 1;
      else if (close !== "`" && sign === "'") this.#at = this.#script.indexOf("'", this.#at + 1);
      else if (close !== "`" && sign === '"') this.#at = this.#endOfQuote('"', this.#at + 1);
      else if (sign === "(" && close !== "`") depth += 1;
      else if (sign === ")" && close !== "`") depth -= 1;
      if (this.#at < from) this.#at = this.#script.length;
    }
    const inside = this.#script.slice(from, this.#at);
    this.#at += close.length;
    return inside;
  }

  /** The end of the quote opened before `from`, skipping escapes; the end of the script if it is unclosed. */
  #endOfQuote(quote: string, from: number): number {
    let at = from;
    while (at < this.#script.length && this.#script[at] !== quote) at += this.#script[at] === "\\" ? 2 : 1;
    return Math.min(at, this.#script.length);
  }

  /** A substitution. Its commands run as well. Its output is known if it only prints text. */
  #inner(script: string): Word {
    const commands = commandsIn(script, this.#scope, this.#depth + 1);
    this.#found.push(...commands);
    const last = commands.at(-1);
    return last === undefined ? EMPTY : (outputOf(last) ?? UNKNOWN);
  }

  /** Text in which only substitutions run, as between double quotes. */
  #within(text: string): void {
    if (/[`$]/.test(text)) this.#found.push(...commandsIn(`: "${text.replace(/"/g, '\\"')}"`, this.#scope, this.#depth + 1));
  }

  #say({ text, isKnown }: Word, isQuoted = false): void {
    this.#word ??= { text: "", isKnown: true, braces: false, isQuoted: false };
    this.#word.isQuoted ||= isQuoted;
    this.#word.text += text;
    this.#word.isKnown &&= isKnown;
  }

  /** Unquoted text is split at white space. */
  #split({ text, isKnown }: Word): void {
    const pieces = text.split(/\s+/);
    pieces.forEach((piece, nth) => {
      if (nth > 0) this.#endWord();
      if (piece !== "" || pieces.length === 1) this.#say({ text: piece, isKnown });
    });
    if (/^\s+$/.test(text)) this.#endWord();
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = undefined;
    if (!word) return;
    const redirect = this.#redirect;
    this.#redirect = undefined;
    if (redirect === "write") this.#writes.push(word);
    else if (redirect === "string") this.#feed = word;
    else if (redirect === "here") this.#here(word.text, word.isQuoted);
    else if (redirect === undefined) {
      if (word.braces && !this.#scope.effort.payForBraces(word.text.length)) return;
      const texts = word.braces ? expandedBraces(word.text) : [word.text];
      if (!texts) this.#scope.effort.giveUp();
      // Ranges like `{1..3}` are not expanded here.
      const isKnown = word.isKnown && !(word.braces && /\{[^{},]*\.\.[^{},]*\}/.test(word.text));
      for (const text of texts ?? [word.text]) this.#words.push({ text, isKnown });
    }
  }

  #here(end: string, isQuoted: boolean): void {
    const feed = { text: "", isKnown: true };
    this.#feed = feed;
    this.#heres.push({ end, isQuoted, give: (text) => (feed.text = text) });
  }

  /** Here-document bodies follow the line. */
  #readHeres(): void {
    for (const { end, isQuoted, give } of this.#heres.splice(0)) {
      const lines: string[] = [];
      while (this.#at < this.#script.length) {
        const to = this.#script.indexOf("\n", this.#at);
        const line = this.#script.slice(this.#at, to < 0 ? this.#script.length : to);
        this.#at = to < 0 ? this.#script.length : to + 1;
        if (line.trim() === end) break;
        lines.push(line);
      }
      give(lines.join("\n"));
      if (!isQuoted) this.#within(lines.join("\n"));
    }
  }

  #endCommand(joint: "pipe" | undefined): void {
    this.#endWord();
    const pipedFrom = this.#pipedFrom;
    this.#pipedFrom = undefined;
    if (!this.#scope.effort.payForCommand(this.#words.length)) return;
    const words = this.#named(this.#words);
    const made: ShellCommand = {
      words,
      writes: this.#writes,
      sets: this.#sets,
      feed: this.#feed,
      pipedFrom,
      folder: this.#scope.folder,
    };
    this.#words = [];
    this.#sets = [];
    this.#writes = [];
    this.#feed = undefined;
    this.#redirect = undefined;
    if (words.length > 0 || made.writes.length > 0) this.#found.push(made);
    if (joint === "pipe") this.#pipedFrom = made;
    this.#note(words);
  }

  /** Removes reserved words and leading assignments, and expands aliases. */
  #named(all: readonly Word[]): readonly Word[] {
    // Assignments on their own stay in force; before a command they apply only to it.
    const lastOther = all.findLastIndex((word) => !ASSIGNMENT.test(word.text));
    let from = 0;
    for (let first = all[from]; first; first = all[from]) {
      if (first.text === "function") from += 2;
      else if (first.text === "for" || first.text === "select") return this.#loop(all.slice(from));
      else if (RESERVED.has(first.text)) from += 1;
      else if (ASSIGNMENT.test(first.text)) {
        if (from > lastOther) this.#assign(first);
        else this.#sets.push({ ...first, text: first.text.replace(ASSIGNMENT, "") });
        from += 1;
      } else break;
    }
    const words = all.slice(from);
    const alias = this.#scope.aliases.get(words[0]?.text ?? "");
    if (alias === undefined) return words;
    return [...alias.split(/\s+/).map((text) => ({ text, isKnown: true })), ...words.slice(1)];
  }

  #loop(words: readonly Word[]): readonly Word[] {
    const [, name, , ...values] = words;
    // A variable may get several values, and it is unknown which one applies; the first is used.
    if (name)
      this.#scope.variables.set(name.text, { text: values[0]?.text ?? "", isKnown: values.length === 1 && values[0]?.isKnown === true });
    return [];
  }

  #assign({ text, isKnown }: Word): void {
    const at = text.indexOf("=");
    const name = text.slice(0, at).replace(/\+$/, "");
    const before = text[at - 1] === "+" ? (this.#scope.variables.get(name)?.text ?? "") : "";
    const value = before + text.slice(at + 1);
    // A value that keeps doubling becomes unknown.
    this.#scope.variables.set(name, value.length > MAX_CHARACTERS ? UNKNOWN : { text: value, isKnown });
  }

  /** Notes commands that affect the rest of the script. */
  #note(words: readonly Word[]): void {
    const [name, ...rest] = words;
    if (name?.text === "cd" || name?.text === "pushd") {
      const to = rest.find((word) => !word.text.startsWith("-"));
      if (to) this.#scope.folder = to.text.startsWith("/") ? to.text : `${this.#scope.folder}/${to.text}`;
    }
    if (["export", "declare", "typeset", "local", "readonly"].includes(name?.text ?? "")) {
      for (const word of rest) if (ASSIGNMENT.test(word.text)) this.#assign(word);
    }
    if (name?.text === "alias") {
      for (const { text } of rest) {
        const at = text.indexOf("=");
        if (at > 0) this.#scope.aliases.set(text.slice(0, at), text.slice(at + 1));
      }
    }
  }
}

/** The output of a command that only prints text. */
export function outputOf(command: ShellCommand): Word | undefined {
  const [name, ...rest] = command.words;
  const isKnown = rest.every((word) => word.isKnown);
  const said = rest.filter((word, nth) => nth > 0 || !/^-[neE]+$/.test(word.text)).map((word) => word.text);
  if (name?.text === "echo") {
    const text = said.join(" ");
    return { text: rest[0]?.text.includes("e") && rest[0].text.startsWith("-") ? unescaped(text) : text, isKnown };
  }
  if (name?.text === "printf") {
    const [format = "", ...values] = rest.filter((word) => word.text !== "--").map((word) => word.text);
    let nth = 0;
    const once = unescaped(format).replace(/%[sbq%]/g, (sign) => (sign === "%%" ? "%" : (values[nth++] ?? "")));
    return { text: [once, ...values.slice(nth)].join(" "), isKnown };
  }
  if (name?.text === "cat" && rest.length === 0) return command.feed;
  return undefined;
}

function unescaped(text: string): string {
  return text.replace(/\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|[\s\S])/g, (_, code: string) => {
    if (code.startsWith("x") || (code.startsWith("u") && code.length > 1)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return { n: "\n", t: "\t", r: "\r" }[code] ?? code;
  });
}
