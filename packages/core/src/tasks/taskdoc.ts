/** The sections of a Taskdoc, in the order in which agents read them. */
export const SECTIONS = ["goals", "constraints", "progress"] as const;
export type Section = (typeof SECTIONS)[number];

export const sectionPath = (taskDocPath: string, section: Section): string => `${taskDocPath.replace(/\/$/, "")}/${section}.md`;

/** Longer sections are cut, because every request contains them. */
const SECTION_CHARACTERS = 24_000;

/** A document as an agent is shown it. If it was cut, a line says so. */
export const excerpt = (text: string, cut: (shown: number, total: number) => string): string =>
  text.length > SECTION_CHARACTERS ? `${text.slice(0, SECTION_CHARACTERS)}\n${cut(SECTION_CHARACTERS, text.length)}` : text;

/** The folder of the team's memory, or of an agent's own. */
export const memoryFolder = (scope: "team" | "own", agent: string): string => (scope === "team" ? "memory/team" : `memory/agents/${agent}`);

/** Normalises a folder's spelling. */
export const taskDocFolder = (path: string): string => path.replaceAll(/(^|\/)(?:\.?\/)+/g, "$1");

/** The longest file name that file systems allow, in bytes of its longest encoding. */
const MAX_NAME = 200;
const MAX_PATH = 1_000;

/** A Taskdoc is a `*.tsk/` folder inside the project, with a name that every file system accepts. */
export const isTaskDocPath = (path: string): boolean =>
  /\.tsk\/?$/.test(path) &&
  path.length <= MAX_PATH &&
  !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(path) &&
  path.split("/").every((name) => new TextEncoder().encode(name).length <= MAX_NAME) &&
  !path.startsWith("/") &&
  !/^[a-zA-Z]:/.test(path) &&
  !isElsewhere(path.split(/[\\/]/).filter((part) => part !== "" && part !== "."));

/**
 * Outside the project, or in a folder with another purpose: git's, the store's, the team's, the memory's. Some file systems ignore case.
 */
function isElsewhere(parts: readonly string[]): boolean {
  const names = parts.map((part) => part.toLowerCase().replace(/(?<![. ])[. ]+$/, "") || part);
  return names.some((name) => CLOSED.has(name)) || OWN.has(names[0] ?? "");
}

const CLOSED = new Set(["..", ".git", "git~1", ".dialogs", "node_modules"]);
const OWN = new Set(["agents", "memory", "prd", "colloquy.yaml"]);
