import type { Document, LineCounter, Node } from "yaml";
import { type Path, type Problem, problemsOf, type Schema } from "../providers/schema-problem.ts";

export type Read<Value> =
  | {
      readonly ok: true;
      readonly value: Value;
      /** `colloquy.yaml:14: agents.coder.tools`, to start a message about a value that matches the schema but not the project. */
      readonly where: (path: Path) => string;
    }
  /** Each as `file:line: path: what is wrong, and what would be right`, in the order of the file. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Parses YAML that people write. `file` is the name to show. An empty file is an empty object. */
export async function readYaml<Value>(
  text: string,
  file: string,
  schema: Schema<Value>,
  /** A better text for a problem at this path, if there is one. */
  explain: (path: Path) => string | undefined = () => undefined,
): Promise<Read<Value>> {
  // Ten times the start-up cost of everything else here: only for callers that read a file.
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0)
    return { ok: false, problems: document.errors.map(({ pos, message }) => `${file}:${lines.linePos(pos[0]).line}: ${message}`) };

  const where = (path: Path) => `${file}:${lineOf(document, lines, path)}${path.length === 0 ? "" : `: ${pathText(path)}`}`;
  const value = valueOf(document);
  if ("problem" in value) return { ok: false, problems: [`${file}:1: ${value.problem}`] };
  const parsed = schema.safeParse(value.js ?? {});
  if (parsed.success) return { ok: true, value: parsed.data, where };

  const line = ({ path }: Problem) => lineOf(document, lines, path);
  const problems = problemsOf(schema, parsed.error.issues)
    .map((one) => ({ ...one, text: explain(one.path) ?? one.text }))
    .toSorted((a, b) => line(a) - line(b));
  return { ok: false, problems: problems.map(({ path, text: what }) => `${where(path)}: ${what}`) };
}

/** Nested aliases may expand beyond memory: the parser gives up, and says so. */
function valueOf(document: Document): { readonly js: unknown } | { readonly problem: string } {
  try {
    return { js: document.toJS() };
  } catch (error) {
    return { problem: `its aliases cannot be resolved (${error instanceof Error ? error.message : String(error)}). Write the values out.` };
  }
}

/** `rules[3].do.say` */
export const pathText = (path: Path): string =>
  path.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");

/** A missing value has no line: then its parent's line is used. */
function lineOf(document: Document, lines: LineCounter, path: Path): number {
  // A key's line says more than that of its value, which may start lines below.
  const node = keyNode(document, path) ?? nodeAt(document, path);
  if (node?.range) return lines.linePos(node.range[0]).line;
  return path.length === 0 ? 1 : lineOf(document, lines, path.slice(0, -1));
}

const nodeAt = (document: Document, path: Path): Node | undefined =>
  (path.length === 0 ? document.contents : (document.getIn(path, true) as Node | undefined)) ?? undefined;

function keyNode(document: Document, path: Path): Node | undefined {
  const key = path.at(-1);
  const parent = nodeAt(document, path.slice(0, -1)) as { readonly items?: readonly { readonly key?: unknown }[] } | undefined;
  if (typeof key !== "string") return undefined;
  const pair = parent?.items?.find((item) => (item.key as { readonly value?: unknown } | undefined)?.value === key);
  return pair?.key as Node | undefined;
}
