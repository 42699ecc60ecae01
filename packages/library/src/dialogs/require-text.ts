import { Refused } from "@colloquy/schema";

/** What a program was sent may be anything, whatever its types say: what is no text is refused by its name, before anything happens. */
export function requireText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  const what = value === undefined || value === null ? String(value) : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw new Refused({ code: "bad_request", message: `${name} must be a text, and is ${what}.` });
}
