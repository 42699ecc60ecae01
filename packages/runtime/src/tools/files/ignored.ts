import { closeSync, readFileSync } from "node:fs";
import ignore, { type Ignore } from "ignore";
import type { OpenFolder } from "./open-at.ts";

const MAX_BYTES = 200_000;

interface RulesAt {
  /** The folder of the file, relative to the project. */
  readonly base: string;
  readonly rules: Ignore;
}

/** The `.gitignore` rules from the project's folder down to one in it. */
export class Ignored {
  readonly #rules: readonly RulesAt[];

  private constructor(rules: readonly RulesAt[]) {
    this.#rules = rules;
  }

  static readonly nothing = new Ignored([]);

  /** Adds the rules of this folder's `.gitignore`. */
  with(folder: OpenFolder, inside: string): Ignored {
    const text = readSmall(folder, ".gitignore");
    return text === undefined ? this : new Ignored([...this.#rules, { base: inside, rules: ignore({ ignorecase: false }).add(text) }]);
  }

  /** The nearest file with a matching rule decides. */
  has(inside: string, isFolder: boolean): boolean {
    for (const { base, rules } of this.#rules.toReversed()) {
      const verdict = rules.test(inside.slice(base === "" ? 0 : base.length + 1) + (isFolder ? "/" : ""));
      if (verdict.ignored || verdict.unignored) return verdict.ignored;
    }
    return false;
  }
}

function readSmall(folder: OpenFolder, name: string): string | undefined {
  if (folder.facts(name)?.kind !== "file") return undefined;
  const { fd, facts } = folder.openFile(name);
  try {
    return facts.size <= MAX_BYTES ? readFileSync(fd, "utf8") : undefined;
  } finally {
    closeSync(fd);
  }
}

/** Does a path match a pattern as in `.gitignore`, with `{a,b}` and a negating `!` in front? */
export function globMatcher(glob: string): (inside: string) => boolean {
  const isNot = glob.startsWith("!");
  const rules = ignore({ ignorecase: false }).add(
    alternatives(isNot ? glob.slice(1) : glob).map((one) => one.replace(/^[!#]/, String.raw`\$&`)),
  );
  return (inside) => rules.ignores(inside) !== isNot;
}

/** `*.{ts,js}` is `*.ts` and `*.js`. */
function alternatives(glob: string): readonly string[] {
  const [, before = "", inner, after = ""] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
  if (inner === undefined) return [glob];
  return inner
    .split(",")
    .flatMap((one) => alternatives(before + one + after))
    .slice(0, 100);
}
