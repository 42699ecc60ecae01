import type { NostrEvent } from "@colloquy/schema";
import type { Parent, Root } from "./tags.ts";

/** How the `msgId` of every message from Nostr begins. */
export const PROTOCOL = "nostr:";
const FORM = /^nostr:([0-9a-f]{64}):(\d{1,5}):(\d{1,5}):([0-9a-f]{64}|-)$/;

/** The `msgId` of a message: the same for the same event, from whatever relay. It holds what an answer needs to know of the event. */
export const originOf = ({ id, kind }: Pick<NostrEvent, "id" | "kind">, root: Root): string =>
  `${PROTOCOL}${id}:${kind}:${root.kind}:${root.pubkey ?? "-"}`;

export interface Origin {
  readonly event: Omit<Parent, "pubkey">;
  readonly root: Omit<Root, "id">;
}

export function readOrigin(msgId: string | undefined): Origin | undefined {
  const [, id, kind, rootKind, pubkey] = FORM.exec(msgId ?? "") ?? [];
  if (id === undefined) return undefined;
  return { event: { id, kind: Number(kind) }, root: { kind: Number(rootKind), pubkey: pubkey === "-" ? undefined : pubkey } };
}
