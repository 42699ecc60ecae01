const SLOTS = 1024;
const known: { readonly ms: number; readonly text: string }[] = [];

/** Milliseconds as an ISO time. Cached, because the same few times are formatted repeatedly and each takes a microsecond. */
export function iso(ms: number): string {
  const slot = ms % SLOTS;
  const held = known[slot];
  if (held?.ms === ms) return held.text;
  const text = new Date(ms).toISOString();
  known[slot] = { ms, text };
  return text;
}
