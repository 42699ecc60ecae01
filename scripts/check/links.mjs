// Every relative link in the documents leads to an existing file, and every anchor to a heading of its page.
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

/** @param {string} folder a repository */
export function checkLinks(folder) {
  const pages = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: folder, exclude: ["**/node_modules/**"] }).sort();
  /** @type {Map<string, Set<string>>} */
  const anchors = new Map();
  return pages.flatMap((page) =>
    linksOf(readFileSync(join(folder, page), "utf8")).flatMap((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
      if (!existsSync(join(folder, target))) return [`${page}: ${link} leads to nothing`];
      if (!anchor || !target.endsWith(".md")) return [];
      const known = anchors.get(target) ?? anchorsOf(readFileSync(join(folder, target), "utf8"));
      anchors.set(target, known);
      return known.has(anchor) ? [] : [`${page}: ${target} has no heading #${anchor}`];
    }),
  );
}

/** @param {string} text */
const withoutCode = (text) => text.replaceAll(/^```.*?^```$/gms, "");

/** The targets of links and images, except external ones. @param {string} text */
function linksOf(text) {
  const plain = withoutCode(text).replaceAll(/(`+).*?\1/g, "``");
  return [...plain.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub gives to a page's headings. @param {string} text */
function anchorsOf(text) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const [, heading = ""] of withoutCode(text).matchAll(/^#+ (.*)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let n = 1; found.has(anchor); n += 1) anchor = `${slug}-${n}`;
    found.add(anchor);
  }
  return found;
}

if (import.meta.main) report(checkLinks(root), "every link of the documents leads somewhere");
