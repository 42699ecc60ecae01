import { markers } from "./markers.ts";

const BREAKS = /(\r\n|[\n\v\f\r\u0085\u2028\u2029])/;
/** Prefixes that a reader would overlook before a header: blanks, quotes, lists, headings, emphasis. */
const BEFORE = /^[\s#*_`~|\u2800-]*/;
const ROLES = "system|developer|user|human|person|owner|assistant|tool|系统|用户|助手|人类|开发者";
const HEADERS: readonly RegExp[] = [
  // A speaker: `[System]: `, `[owner]: `, `[Lead]: `.
  /^\[[^\]]{1,80}\][*_`\s]*:/,
  // A protocol heading: `=== NEW INTERACTION ===`.
  /^={3,}\s*[^\s=]/,
  new RegExp(`^(?:${Object.values(markers).join("|")})`.normalize("NFKC")),
  /^(?:Previous context|Delegation responses received|Still waiting for responses from)\b/i,
  // A role, as providers or their models write it.
  new RegExp(`^(?:${ROLES})\\**\\s*:`, "i"),
  new RegExp(`^</?\\|?(?:im_start|im_end|start_header_id|end_header_id|eot_id|endoftext|${ROLES})\\b`, "i"),
  // The end of somebody's words, in the format sent to models.
  /^\[\/[^\]]{1,80}\]/,
  /^\[INST\]/i,
];

/**
 * Makes words of another agent or a tool safe to show beside those of people and the system. A line that looks like the start of somebody
 * else's words is quoted (`> [System]: …`); all other lines stay unchanged.
 */
export const othersWords = (text: string): string =>
  text
    .split(BREAKS)
    .map((line, nth) => (nth % 2 === 0 && looksLikeHeader(line) ? `> ${line}` : line))
    .join("");

/** The same for an answer below its marker, which we wrote ourselves. */
export function othersAnswer(output: string): string {
  const marker = Object.values(markers).find((one) => output.startsWith(`${one}\n`));
  return marker === undefined ? othersWords(output) : `${marker}\n${othersWords(output.slice(marker.length + 1))}`;
}

/** No header is longer. */
const MAX_HEADER = 400;

/** A quick test: every header contains one of these in some width, most lines contain none. */
const SIGNS = /[[［=＝【<＜:：﹕︰]|previous|delegation|waiting/iu;

/** Recognises full-width variants and headers with invisible characters in them. */
function looksLikeHeader(line: string): boolean {
  if (!SIGNS.test(line)) return false;
  // Removed before the cut: hundreds of invisible characters could precede a header.
  const plain = line
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(BEFORE, "")
    .slice(0, MAX_HEADER)
    .normalize("NFKC")
    .replace(BEFORE, "");
  return HEADERS.some((header) => header.test(plain));
}
