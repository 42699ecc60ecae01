// Keeps imports pointing one way, and the parts that browsers and replays rely on pure.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Visitor, parseSync } from "rolldown/utils";
import { report } from "./report.mjs";
import { root } from "../set-up.mjs";

/** What each package may import of ours. Tests may import anything. @type {Record<string, readonly string[]>} */
const allowed = {
  schema: [],
  core: ["schema"],
  store: ["schema"],
  "store-file": ["schema", "store"],
  "store-postgres": ["schema", "store"],
  models: ["schema"],
  runtime: ["core", "models", "schema", "store"],
  mcp: ["runtime", "schema"],
  "a2a-client": ["core", "models", "runtime", "schema"],
  tracing: ["core", "schema", "store"],
  library: ["a2a-client", "core", "mcp", "models", "runtime", "schema", "store", "store-file", "store-postgres", "tracing"],
  bridge: ["schema"],
  a2a: ["bridge", "schema"],
  acp: ["bridge", "schema"],
  "ag-ui": ["bridge", "schema"],
  nostr: ["bridge", "schema"],
  "openai-api": ["bridge", "schema"],
  "mcp-server": ["schema"],
  server: ["a2a", "ag-ui", "bridge", "client", "library", "mcp-server", "nostr", "openai-api", "schema"],
  colloquy: ["library", "server"],
  client: ["core", "schema"],
  react: ["client", "schema"],
  web: ["core", "react", "schema"],
  cli: ["acp", "client", "core", "library", "mcp-server", "nostr", "schema", "server"],
  testing: ["library", "models", "runtime", "schema", "store"],
  simulation: ["client", "core", "library", "models", "react", "runtime", "schema", "server", "store", "store-file"],
};
const browserSafe = ["schema", "core", "client", "react", "web"];

/** @param {string} folder a repository */
export function checkDirection(folder) {
  const sources = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: folder, exclude: ["**/*.test.ts", "**/*.test.tsx"] }).sort();
  return sources.flatMap((file) => problemsIn(file, readFileSync(join(folder, file), "utf8")).map((problem) => `${file} ${problem}`));
}

/**
 * @param {string} file
 * @param {string} text
 */
function problemsIn(file, text) {
  const [, name = ""] = file.split("/");
  const { program } = parseSync(file, text);
  /** @type {string[]} */
  const problems = [];

  /** @param {{source?: unknown}} node */
  const onImport = ({ source }) => {
    const from = source && typeof source === "object" && "value" in source ? String(source.value) : "";
    const [, ours] = /^@colloquy\/([^/]+)/.exec(from) ?? [];
    if (ours && !allowed[name]?.includes(ours)) problems.push(`imports ${from}, which packages/${name} may not`);
    if (browserSafe.includes(name) && from.startsWith("node:"))
      problems.push(`imports ${from}, but packages/${name} must run in a browser`);
    if (/^(\.\.\/)+[^.].*\/src\//.test(from)) problems.push(`imports ${from}: import the package's index instead`);
  };
  /** @param {string} what */
  const impure = (what) => name === "core" && problems.push(`uses ${what}, but core is pure: pass it in`);

  new Visitor({
    ImportDeclaration: onImport,
    ImportExpression: onImport,
    TSImportType: onImport,
    ExportNamedDeclaration: onImport,
    ExportAllDeclaration: onImport,
    AwaitExpression: () => impure("await"),
    ForOfStatement: (loop) => loop.await && impure("for await"),
    NewExpression: (made) =>
      made.arguments.length === 0 && text.slice(made.callee.start, made.callee.end) === "Date" && impure("new Date()"),
    MemberExpression: ({ start, end }) => /^(Date\.now|Math\.random)$/.test(text.slice(start, end)) && impure(text.slice(start, end)),
  }).visit(program);
  return problems;
}

if (import.meta.main) report(checkDirection(root), "every import points the right way");
