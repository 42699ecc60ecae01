// docs/reference/library.md: what `colloquy` and its subpaths export, according to the compiler. Made from the declarations in dist/.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./set-up.mjs";

export const LIBRARY_REFERENCE = "docs/reference/library.md";

/** @param {TemplateStringsArray} list */
const names = ([list = ""]) => list.split(" ");

/** @type {readonly [title: string, entry: string, about: string, names: readonly string[]][]} */
const PARTS = [
  [
    "Tools and agents",
    "index",
    '`import { defineTool, defineAgent } from "colloquy"`',
    names`defineTool ToolDefinition ToolContext StandardSchema defineAgent DefinedAgent ResultOf`,
  ],
  [
    "Opening a project",
    "index",
    '`import { openProject, handlers } from "colloquy"`',
    names`openProject EmbedOptions OpenOptions FetchOptions User EmbeddedProject handlers`,
  ],
  ["A project", "index", "Refusals are thrown as `Refused`.", names`Project DialogHandle ProjectTasks`],
  [
    "What is said",
    "index",
    "",
    names`NewDialog Message Signed Receipt DialogReference PhaseInput StopInput ClearMindInput ChangeMindInput AnswerInput DismissInput ApproveInput DenyInput TreeListener Listening Page PageQuery`,
  ],
  [
    "When it says no",
    "index",
    "The codes are closed sets: a `switch` over them can be complete.",
    names`Refused RefusalCode Fault FaultCode`,
  ],
  [
    "Testing",
    "testing",
    '`import { testProject, crashEverywhere, … } from "colloquy/testing"`',
    names`testProject TestOptions TestProject TestDialog crashEverywhere Telling Told say call calls ask askPerson fail`,
  ],
  [
    "React",
    "react",
    '`import { ColloquyProvider, … } from "colloquy/react"`',
    names`ColloquyProvider ColloquyPlace ServerPlace HttpPlace useQuestions AllQuestions useDialog DialogState useDialogs Dialogs useActions Actions useProject ProjectState useConnection Connection Refusal`,
  ],
];

/** The declaration of a name with its comment, as TypeScript wrote it. @type {(text: string, name: string) => string | undefined} */
function declaration(text, name) {
  const head = new RegExp(
    `^(?:/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const|enum) ${name.replace("$", "\\$")}(?![\\w$])`,
    "m",
  );
  const found = head.exec(text);
  if (!found) return undefined;
  const rest = text.slice(found.index);
  // It ends at the line that closes its first one.
  const end = /^(?:\}.*|[^\s/}*].*(?:;|\{\}))$/m.exec(rest);
  return end ? rest.slice(0, end.index + end[0].length) : undefined;
}

/** The page, from the current build. */
export function libraryReference() {
  const texts = Object.fromEntries(globSync("dist/*.d.ts", { cwd: root }).map((file) => [file, readFileSync(join(root, file), "utf8")]));
  // Several files may contain the same name, and their own names change with their content: use the one that the entry imports.
  const near = (/** @type {string} */ entry, /** @type {string} */ name) => {
    const own = texts[`dist/${entry}.d.ts`] ?? "";
    const imported = new RegExp(`^import \\{[^}]*\\b${name.replace("$", "\\$")}\\b[^}]*\\} from "\\./(.*)\\.js"`, "m").exec(own)?.[1];
    const distance = (/** @type {string} */ file) =>
      basename(file, ".d.ts") === imported ? 0 : own.includes(`"./${basename(file, ".d.ts")}.js"`) ? 1 : 2;
    const files = Object.keys(texts).toSorted((a, b) => distance(a) - distance(b));
    return [own, texts["dist/index.d.ts"] ?? "", ...files.map((file) => texts[file] ?? "")];
  };
  /** @type {string[]} */
  const missing = [];
  const parts = PARTS.map(([title, entry, about, names]) => {
    const blocks = names.flatMap((name) => {
      const found = near(entry, name)
        .map((text) => declaration(text, name))
        .find((one) => one !== undefined);
      if (found === undefined) missing.push(name);
      return found === undefined
        ? []
        : [
            found
              .replaceAll(/^(?:export )?(?:declare )?(?=\w)/gm, "")
              .replaceAll("\t", "  ")
              .replaceAll("$1", ""),
          ];
    });
    return `## ${title}\n\n${about === "" ? "" : `${about}\n\n`}\`\`\`ts\n${blocks.join("\n\n")}\n\`\`\`\n`;
  });
  if (missing.length > 0) throw new Error(`scripts/library-reference.mjs: not exported any more: ${missing.join(", ")}`);
  return `# The library, as the compiler sees it\n\n<!-- Made by scripts/library-reference.mjs from the types. Change them, then: npm run reference -->\n\nHow it is used: [LIBRARY](../LIBRARY.md), [EMBEDDING](../EMBEDDING.md), [TESTING](../TESTING.md).\n\n${parts.join("\n")}`;
}
