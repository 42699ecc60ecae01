// What the models say: the same words everywhere, and no time at all.

export const WORDS = "The order service answers within its limits again; the pool was too small for the new workers. ";
export const ANSWER = "the red one";

/** What the lead is told. The key stands in front, so that a model can tell whose work it does. */
export const task = (key: string): string => `${key}: ${WORDS}`;
export const keyOf = (text: string): string => text.slice(0, text.indexOf(":"));

export const question = (key: string): string => `${key}: Which one?\n${WORDS}`;
export const message = (nth: number): string => `${nth}: ${WORDS}`;
export const pattern = (nth: number): string => `order timeout ${nth}`;
export const found = (what: string): string => `${what}: ${WORDS}`;

/** A turn of the long dialog as providers' JSON has it: what cannot be left out. */
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
