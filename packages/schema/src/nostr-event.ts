import { z } from "zod";

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** An event of Nostr, as relays pass it on (NIP-01). */
export const NostrEvent = z.object({
  /** The hash of all but the signature. */
  id: hex(64),
  pubkey: hex(64),
  /** In seconds. */
  created_at: z.number().int().nonnegative(),
  kind: z.number().int().nonnegative(),
  tags: z.array(z.array(z.string())),
  content: z.string(),
  sig: hex(128),
});
export type NostrEvent = z.infer<typeof NostrEvent>;
