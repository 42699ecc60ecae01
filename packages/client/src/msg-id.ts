/** The sender's name for a command. Not `randomUUID`: browsers have that only on pages that came over HTTPS. */
export function newMsgId(): string {
  const chance = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(chance, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
