/** A JSON object found in a text, and its position. */
export interface FoundObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly from: number;
  readonly to: number;
}

/** Deeper nesting is not written by hand. */
const MAX_DEPTH = 40;

/**
 * How many characters may be read for a text of this length, counting repeated reads. If many objects begin inside each other and none
 * ends, the rest is not searched and counts as unreadable.
 */
export const maxRead = (length: number): number => Math.max(300_000, 1.5 * length);
/** The cost of a value, in characters. Missing values cost the same. */
const VALUE_CHARACTERS = 20;

/**
 * Every object in a text, bare, fenced or inside prose, as models write them: with trailing commas, comments, single or curly quotes, bare
 * keys, line breaks in strings, Python's True and None. Unclosed objects are not found.
 */
export function objectsIn(text: string): readonly FoundObject[] {
  return searchObjects(text).found;
}

/** Also returns how many characters were read: at most `maxRead`, plus one more reading for the last object. */
export function searchObjects(text: string): { readonly found: readonly FoundObject[]; readonly read: number } {
  const found: FoundObject[] = [];
  const most = maxRead(text.length);
  let read = 0;
  for (let from = text.indexOf("{"); from >= 0 && read < most; from = text.indexOf("{", from)) {
    const reader = new Reader(text, from);
    const value = reader.value(0);
    read += reader.at - from + reader.values * VALUE_CHARACTERS;
    if (isObject(value)) {
      found.push({ value, from, to: reader.at });
      from = reader.at;
    } else from += 1;
  }
  return { found, read };
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Marks text that is not a JSON value. */
const NOTHING = Symbol("nothing");

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "「": "」" };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
  undefined: null,
};

/** The first characters of white space and comments. */
const SKIPPED = /[\s/#]/;
/** Characters of a string up to the next one that may end it. */
const PLAIN = /[^"'”’」\\]+/y;

class Reader {
  readonly #text: string;
  at: number;
  values = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
  }

  value(depth: number): unknown {
    this.values += 1;
    this.#skip();
    const sign = this.#text[this.at] ?? "";
    if (depth > MAX_DEPTH) return NOTHING;
    if (sign === "{") return this.#object(depth);
    if (sign === "[") return this.#array(depth);
    if (sign in CLOSING) return this.#string();
    const [word = ""] = /^[^\s,\]}:{["']+/.exec(this.#text.slice(this.at, this.at + 80)) ?? [];
    this.at += word.length;
    if (Object.hasOwn(WORDS, word)) return WORDS[word];
    return word !== "" && Number.isFinite(Number(word)) ? Number(word) : NOTHING;
  }

  #object(depth: number): unknown {
    const entries: [string, unknown][] = [];
    this.at += 1;
    for (;;) {
      this.#skip();
      if (this.#takes("}")) return Object.fromEntries(entries);
      const key = this.#key();
      this.#skip();
      if (key === undefined || !(this.#takes(":") || this.#takes("："))) return NOTHING;
      const value = this.value(depth + 1);
      if (value === NOTHING) return NOTHING;
      entries.push([key, value]);
      if (!this.#goesOn("}")) return NOTHING;
    }
  }

  #array(depth: number): unknown {
    const values: unknown[] = [];
    this.at += 1;
    for (;;) {
      this.#skip();
      if (this.#takes("]")) return values;
      const value = this.value(depth + 1);
      if (value === NOTHING) return NOTHING;
      values.push(value);
      if (!this.#goesOn("]")) return NOTHING;
    }
  }

  /** Reads a comma, or stops before the end character. */
  #goesOn(end: string): boolean {
    this.#skip();
    return this.#takes(",") || this.#takes("，") || this.#text[this.at] === end;
  }

  #key(): string | undefined {
    if ((this.#text[this.at] ?? "") in CLOSING) {
      const key = this.#string();
      return typeof key === "string" ? key : undefined;
    }
    const [word] = /^[\p{L}_$][\p{L}\p{N}_$-]*/u.exec(this.#text.slice(this.at, this.at + 80)) ?? [];
    this.at += word?.length ?? 0;
    return word;
  }

  #string(): unknown {
    const close = CLOSING[this.#text[this.at] ?? ""] ?? "";
    let said = "";
    for (this.at += 1; this.at < this.#text.length; this.at += 1) {
      PLAIN.lastIndex = this.at;
      const [run] = PLAIN.exec(this.#text) ?? [];
      if (run !== undefined) {
        said += run;
        this.at += run.length;
      }
      const sign = this.#text[this.at] ?? "";
      if (sign === close) {
        this.at += 1;
        return said;
      }
      if (sign !== "\\") said += sign;
      else said += this.#escaped();
    }
    return NOTHING;
  }

  #escaped(): string {
    this.at += 1;
    const sign = this.#text[this.at] ?? "";
    const code = sign === "u" ? /^[0-9a-fA-F]{4}/.exec(this.#text.slice(this.at + 1, this.at + 5))?.[0] : undefined;
    if (code === undefined) return ESCAPES[sign] ?? sign;
    this.at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #takes(sign: string): boolean {
    if (this.#text[this.at] !== sign) return false;
    this.at += 1;
    return true;
  }

  /** Skips white space and comments. */
  #skip(): void {
    // Usually there is nothing to skip, and a slice and a search at each character would cost more than everything else.
    while (SKIPPED.test(this.#text[this.at] ?? "")) {
      const rest = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)/.exec(this.#text.slice(this.at, this.at + 400));
      if (!rest) return;
      this.at += rest[0].length;
    }
  }
}
