/** The sender's own name for a command: sent again, it has the effect of one. */
export function newMsgId(): string {
  // Not randomUUID: a page on another machine's plain address has none.
  const chance = crypto.getRandomValues(new Uint8Array(12));
  return `web-${[...chance].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
