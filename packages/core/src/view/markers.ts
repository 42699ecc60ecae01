/** First lines of messages between dialogs. They are part of the protocol, so they are the same in every language. */
export const markers = {
  askBack: "【tellaskBack】",
  final: "【最终完成】",
  fresh: "【FBR-直接回复】",
  freshReasoning: "【FBR-仅推理】",
} as const;
export type Marker = keyof typeof markers;

/** Removes a marker from the beginning of a text. */
export function unmarked(text: string): { readonly marker: Marker | undefined; readonly text: string } {
  const trimmed = text.trimStart();
  for (const [marker, sign] of Object.entries(markers) as [Marker, string][]) {
    if (trimmed.startsWith(sign)) return { marker, text: trimmed.slice(sign.length).trim() };
  }
  return { marker: undefined, text: text.trim() };
}
