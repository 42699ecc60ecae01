import { Refused } from "@colloquy/schema";

const FIELDS = [
  "name",
  "description",
  "input",
  "inputJsonSchema",
  "output",
  "reads",
  "repeatable",
  "polls",
  "timeoutMs",
  "class",
  "approval",
  "undo",
  "run",
] as const;

/** What every provider accepts. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Checks a tool at run time, for callers without a compiler. */
export function checkTool(definition: object): void {
  const given = definition as Readonly<Partial<Record<string, unknown>>>;
  const name = given["name"];
  if (typeof name !== "string" || name === "") throw wrong("A tool needs a name: it is what agents call it by.");
  if (!NAME.test(name))
    throw wrong(`The tool "${name}" needs another name: providers take up to 64 letters, digits, _ and -, and the first one is a letter.`);
  const unknown = Object.keys(given).find((field) => !(FIELDS as readonly string[]).includes(field));
  if (unknown !== undefined) throw wrong(`The tool "${name}" has a field "${unknown}", which no tool has. Known: ${FIELDS.join(", ")}.`);
  if (typeof given["description"] !== "string") throw wrong(`The tool "${name}" needs a description: the model reads it.`);
  if (typeof given["run"] !== "function") throw wrong(`The tool "${name}" needs a function "run".`);
  if (given["undo"] !== undefined && typeof given["undo"] !== "function")
    throw wrong(`The "undo" of the tool "${name}" must be a function: it takes the input and the call that is undone.`);
  for (const field of ["input", "output"] as const) {
    if (field === "output" && given[field] === undefined) continue;
    if (!isSchema(given[field]))
      throw wrong(`The ${field} of the tool "${name}" is not a schema. Give one that implements Standard Schema, as in z.object({ … }).`);
  }
}

/** Models call tools with named values. */
export function checkInput(name: string, jsonSchema: Readonly<Record<string, unknown>>): void {
  const { type } = jsonSchema;
  if (type === undefined || type === "object") return;
  throw wrong(`The input of the tool "${name}" must be an object, as in z.object({ … }), and is described as ${JSON.stringify(type)}.`);
}

/** Some libraries have schemas that are functions. */
const isSchema = (value: unknown): boolean =>
  (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;

const wrong = (message: string) => new Refused({ code: "bad_request", message });
