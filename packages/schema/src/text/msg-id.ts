/**
 * A sender's id for a command. Sent again under the same id, the command takes effect once. It does not use `randomUUID`, which browsers
 * offer only to pages from HTTPS or from this machine.
 */
export function newMsgId(): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
