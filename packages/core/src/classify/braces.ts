/** The words that `x{a,b}` expands to, up to a bound; undefined beyond it. */
export function expandedBraces(word: string): readonly string[] | undefined {
  const groups = groupsIn(word);
  return new Expander(word, groups).expand();
}

const MAX_WORDS = 256;
const MAX_CHARACTERS = 20_000;
/** Deeper nesting is only written to confuse. */
const MAX_DEPTH = 12;

/** A group from `{` to `}`, with its commas. */
interface Group {
  readonly to: number;
  readonly commas: readonly number[];
}

/** A word's groups, by their start. A `{` that is unclosed or has no comma of its own is literal. */
function groupsIn(word: string): ReadonlyMap<number, Group> {
  const groups = new Map<number, Group>();
  const open: { readonly from: number; readonly commas: number[] }[] = [];
  for (let at = 0; at < word.length; at += 1) {
    if (word[at] === "{") open.push({ from: at, commas: [] });
    else if (word[at] === ",") open.at(-1)?.commas.push(at);
    else if (word[at] === "}") {
      const group = open.pop();
      if (group && group.commas.length > 0) groups.set(group.from, { to: at, commas: group.commas });
    }
  }
  return groups;
}

class Expander {
  readonly #word: string;
  readonly #groups: ReadonlyMap<number, Group>;
  #characters = 0;
  #isExceeded = false;

  constructor(word: string, groups: ReadonlyMap<number, Group>) {
    this.#word = word;
    this.#groups = groups;
  }

  expand(): readonly string[] | undefined {
    const words = this.#between(0, this.#word.length, 0);
    return this.#isExceeded ? undefined : words;
  }

  #between(from: number, to: number, depth: number): readonly string[] {
    if (depth > MAX_DEPTH) this.#isExceeded = true;
    let words: readonly string[] = [""];
    let plain = from;
    for (let at = from; at < to && !this.#isExceeded; at += 1) {
      const group = this.#groups.get(at);
      if (!group) continue;
      const ends = [...group.commas, group.to];
      const parts = ends.flatMap((end, nth) => this.#between(nth === 0 ? at + 1 : (ends[nth - 1] ?? 0) + 1, end, depth + 1));
      words = this.#joined(words, this.#word.slice(plain, at), parts);
      at = group.to;
      plain = group.to + 1;
    }
    return this.#joined(words, this.#word.slice(plain, to), [""]);
  }

  /** Every beginning combined with every end. */
  #joined(words: readonly string[], middle: string, ends: readonly string[]): readonly string[] {
    this.#characters += words.length * ends.length * (middle.length + 1);
    if (words.length * ends.length > MAX_WORDS || this.#characters > MAX_CHARACTERS) this.#isExceeded = true;
    if (this.#isExceeded) return words;
    return words.flatMap((word) => ends.map((end) => word + middle + end));
  }
}
