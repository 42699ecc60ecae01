// Bundled third-party code ships with its authors' names and licences.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The text of THIRD-PARTY.md for these modules. @param {readonly string[]} modules paths of files that went into a bundle */
export function licences(modules) {
  const folders = new Set(modules.flatMap((id) => folderOf(id) ?? []));
  const packages = [...folders]
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ folder, name, version, license }) => ({
      title: `## ${name} ${version}`,
      text: `Licence: ${license ?? "see below"}\n\n${textIn(folder)}`,
    }));
  // Packages with the very same text share it: a tenth of them ship the whole of one licence.
  const parts = [...Map.groupBy(packages, ({ text }) => text)].map(
    ([text, alike]) => `${alike.map(({ title }) => title).join("\n")}\n\n${text}`,
  );
  return `# What is bundled into this package\n\n${parts.join("\n")}`;
}

/** @param {string} id */
function folderOf(id) {
  const found = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1];
  return found !== undefined && existsSync(join(found, "package.json")) ? found : undefined;
}

/** @param {string} folder */
function textIn(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? "" : `${readFileSync(join(folder, file), "utf8").trim().replace(/^/gm, "    ")}\n`;
}
