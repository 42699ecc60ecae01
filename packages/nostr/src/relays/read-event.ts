import type { NostrEvent } from "@colloquy/schema";

const HEX_64 = /^[0-9a-f]{64}$/;
const HEX_128 = /^[0-9a-f]{128}$/;
/** The largest frame that is read. Relays that follow the recommendations pass on less. */
export const MAX_FRAME_CHARACTERS = 256 * 1024;
const MAX_TAGS = 2_000;
/** The last second that a date can name. */
const MAX_SECONDS = 8_640_000_000_000;

const isSeconds = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_SECONDS;
const isText = (value: unknown): value is string => typeof value === "string";
const isTag = (value: unknown): value is string[] => Array.isArray(value) && value.length > 0 && value.every(isText);

/** An event whose parts have the right form; whether it is genuine is another matter. Fields that do not belong to it are left out. */
export function readEvent(given: unknown): NostrEvent | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const { id, pubkey, created_at, kind, tags, content, sig } = given as Record<string, unknown>;
  if (!isText(id) || !HEX_64.test(id) || !isText(pubkey) || !HEX_64.test(pubkey) || !isText(sig) || !HEX_128.test(sig)) return undefined;
  if (!isSeconds(created_at) || !Number.isInteger(kind) || Number(kind) < 0 || Number(kind) > 65_535) return undefined;
  if (!isText(content) || !content.isWellFormed()) return undefined;
  if (!Array.isArray(tags) || tags.length > MAX_TAGS || !tags.every(isTag)) return undefined;
  return { id, pubkey, created_at, kind: Number(kind), tags, content, sig };
}
