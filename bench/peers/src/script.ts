// The models' texts: the same for every system, without delay.

export const WORDS = "The order service answers within its limits again; the pool was too small for the new workers. ";
export const ANSWER = "the red one";

/** The lead's prompt. It begins with the key, by which a model recognises the work. */
export const task = (key: string): string => `${key}: ${WORDS}`;
export const keyOf = (text: string): string => text.slice(0, text.indexOf(":"));

export const question = (key: string): string => `${key}: Which one?\n${WORDS}`;
export const message = (nth: number): string => `${nth}: ${WORDS}`;
export const pattern = (nth: number): string => `order timeout ${nth}`;
export const found = (what: string): string => `${what}: ${WORDS}`;

/** A turn of the long dialog in providers' JSON, with the required fields only. */
export function transcriptBytes(turns: number): number {
  let bytes = 0;
  for (let nth = 1; nth <= turns; nth++) {
    const call = { type: "tool-call", toolCallId: `call_${nth}`, toolName: "search_files" };
    bytes += JSON.stringify([
      { role: "user", content: message(nth) },
      { role: "assistant", content: [{ ...call, input: { pattern: pattern(nth) } }] },
      { role: "tool", content: [{ ...call, type: "tool-result", output: { type: "text", value: found(pattern(nth)) } }] },
      { role: "assistant", content: [{ type: "text", text: WORDS }] },
    ]).length;
  }
  return bytes;
}
