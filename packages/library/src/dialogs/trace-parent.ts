/** A valid `traceparent` (W3C Trace Context). An invalid one is ignored, as the standard wants it. */
export function traceParent(given: string | null | undefined): { readonly trace?: string } {
  const trace = given?.trim() ?? "";
  const isValid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(trace);
  return isValid ? { trace } : {};
}
