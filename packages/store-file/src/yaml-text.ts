/**
 * JSON values as YAML for people to read: block style, long lines unbroken. It is written here because `yaml`, which reads what people
 * write, takes long to load and is slow to write. Text that could be read as anything but itself is quoted as in JSON, which YAML includes.
 */
export const yamlText = (value: unknown): string => nested(value, "").replace(/^[ \n]/, "");

/** What follows `key:` or `-`, from the space or line break on. */
function nested(value: unknown, indent: string): string {
  if (Array.isArray(value)) return value.length === 0 ? " []\n" : `\n${items(value, indent)}`;
  if (typeof value === "object" && value !== null) {
    const text = entries(value, indent);
    return text === "" ? " {}\n" : `\n${text}`;
  }
  return ` ${typeof value === "string" ? stringText(value, indent) : JSON.stringify(value)}\n`;
}

const items = (values: readonly unknown[], indent: string): string =>
  values.map((value) => `${indent}-${beside(nested(value ?? null, `${indent}  `), indent)}`).join("");

/** The first line of an item's mapping or list is beside its dash. */
const beside = (text: string, indent: string): string => (text.startsWith("\n") ? ` ${text.slice(indent.length + 3)}` : text);

function entries(object: object, indent: string): string {
  const known = Object.entries(object).filter(([, value]) => value !== undefined);
  return known.map(([key, value]) => `${indent}${keyText(key, indent)}${nested(value, `${indent}  `)}`).join("");
}

/** YAML's limit for a key without a mark of its own is 1,024 characters. */
const MAX_SIMPLE_KEY = 1_000;

function keyText(key: string, indent: string): string {
  const text = isPlain(key) ? key : quoted(key);
  return text.length > MAX_SIMPLE_KEY ? `? ${text}\n${indent}:` : `${text}:`;
}

function stringText(text: string, indent: string): string {
  if (isPlain(text)) return text;
  if (!isBlock(text)) return quoted(text);
  const chomping = text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
  const lines = text.replace(/\n$/, "").split("\n");
  // A block is indented even at the top level.
  return `|${chomping}\n${lines.map((line) => (line === "" ? "" : `${indent || "  "}${line}`)).join("\n")}`;
}

/** Line breaks and tabs aside. */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;
const RESERVED = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

/** A word, a sentence, a path or an id that no YAML reader takes for anything else. */
const isPlain = (text: string): boolean =>
  /^(?:[\p{L}_/(（【「『《]|[0-9a-f]{8}-[0-9a-f]{4}-)/u.test(text) &&
  !/[\n\t]|:(?:\s|$)|\s#|\s$/u.test(text) &&
  !UNPRINTABLE.test(text) &&
  !RESERVED.test(text);

/** Several lines that can be shown as they are. */
const isBlock = (text: string): boolean => text.includes("\n") && !/^\s/u.test(text) && !UNPRINTABLE.test(text);

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
