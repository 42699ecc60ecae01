import { markers } from "./markers.ts";

const BREAKS = /(\r\n|[\n\v\f\r\u0085\u2028\u2029])/;
/** What may precede a header that still looks like one: quotes, lists, headings, emphasis. */
const BEFORE = /^[\s#*_`~|-]*/;
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
  // The end of somebody's words, as sent to models.
  /^\[\/[^\]]{1,80}\]/,
  /^\[INST\]/i,
];

/**
 * Words of another agent or a tool as a model is shown them among words of people and the system. A line that could pass for the beginning
 * of somebody else's words is quoted (`> [System]: …`); all others are unchanged.
 */
export const othersWords = (text: string): string =>
  text
    .split(BREAKS)
    .map((line, nth) => (nth % 2 === 0 && looksLikeHeader(line) ? `> ${line}` : line))
    .join("");

/** The same for an answer under its marker, which is ours. */
export function othersAnswer(output: string): string {
  const marker = Object.values(markers).find((one) => output.startsWith(`${one}\n`));
  return marker === undefined ? othersWords(output) : `${marker}\n${othersWords(output.slice(marker.length + 1))}`;
}

/** Every header contains one of these, in any width; most lines contain none. */
const SIGNS = /[[［=＝【<＜:：﹕︰]|previous|delegation|waiting/iu;

/** Also in other widths, and with invisible characters in it. */
function looksLikeHeader(line: string): boolean {
  if (!SIGNS.test(line)) return false;
  const plain = line
    .slice(0, 400)
    .normalize("NFKC")
    .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(BEFORE, "");
  return HEADERS.some((header) => header.test(plain));
}
