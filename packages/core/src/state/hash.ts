/** A 53-bit hash for comparing texts. Never use it for security. */
export function hash(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
}

/** A cache: calls are immutable, may contain whole files, and are hashed repeatedly. */
const known = new WeakMap<object, string>();

/** Equal for calls with the same tool and input. */
export function callHash(call: { readonly tool: string; readonly input?: unknown }): string {
  const before = known.get(call);
  if (before !== undefined) return before;
  const made = hash(`${call.tool} ${JSON.stringify(call.input)}`);
  known.set(call, made);
  return made;
}
