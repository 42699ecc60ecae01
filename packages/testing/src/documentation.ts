import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A page of the documentation that readers copy from. */
export interface Page {
  /** `docs/START.md` */
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

interface Block {
  /** What stands behind the three signs; empty for what is seen in a terminal. */
  readonly language: string;
  readonly text: string;
  /** The page's line that it begins on. */
  readonly line: number;
}

/** The front page and every guide, without rules, decisions and what is made from types. */
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
