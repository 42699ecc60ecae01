import { Refused } from "@colloquy/schema";

/** Checks at run time what a program passes, which may come from a request: anything but text is refused by name, before any effect. */
export function requireText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  const what = value === undefined || value === null ? String(value) : Array.isArray(value) ? "a list" : `a ${typeof value}`;
  throw new Refused({ code: "bad_request", message: `${name} must be a string, not ${what}.` });
}
