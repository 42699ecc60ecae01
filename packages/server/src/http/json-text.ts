import { Refused } from "@colloquy/schema";

/** More than any request needs. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 64;

/**
 * Parses JSON from a request. Its shape is checked first, in one pass without allocating: millions of tiny values or deep nesting
 * would keep the server busy long after parsing.
 */
export function parsedJson(text: string, what: string): unknown {
  demandSimple(text, what);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refused({ code: "bad_request", message: `${what}: not JSON.` });
  }
}

/** Refuses JSON with millions of values, or nested very deep. */
export function demandSimple(text: string, what: string): void {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        values += 1;
        depth += 1;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
        break;
      default:
        break;
    }
    if (depth > MAX_DEPTH) throw new Refused({ code: "bad_request", message: `${what}: nested deeper than ${MAX_DEPTH} levels.` });
    if (values > MAX_VALUES) throw new Refused({ code: "too_large", message: `${what}: more than ${MAX_VALUES} values.` });
  }
}

/** The end of the string that begins here, or of the text if the string is not closed. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
