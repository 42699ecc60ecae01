import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A page of documentation with code that readers copy. */
export interface Page {
  /** `docs/START.md` */
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

interface Block {
  /** The language named after the three backticks; empty for terminal output. */
  readonly language: string;
  readonly text: string;
  /** The line of the page at which it begins. */
  readonly line: number;
}

/** The README and every guide, without rules, decisions and generated pages. */
export const pages = (): readonly Page[] => ["README.md", ...globSync("docs/*.md", { cwd: root }).toSorted()].map(page);

export function page(name: string): Page {
  const text = readFileSync(join(root, name), "utf8");
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ 1: language = "", 2: code = "", index }) => ({
    language,
    text: code,
    line: text.slice(0, index).split("\n").length + 1,
  }));
  return { name, text, blocks };
}
