/**
 * A sender's name for a command: sent again under it, the command takes effect once. Not `randomUUID`, which browsers offer only to
 * pages that came over HTTPS or from this machine.
 */
export function newMsgId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
