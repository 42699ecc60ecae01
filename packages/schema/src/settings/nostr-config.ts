import { z } from "zod";
import { publicKeyIn } from "../text/nostr-key.ts";

/** A person's or an agent's public key. */
const PublicKey = z.string().refine((text) => publicKeyIn(text) !== undefined, "a public key: npub1… or 64 lower-case hex digits");

const Relay = z
  .url({ protocol: /^wss?$/, error: "the address of a relay such as wss://relay.example.org" })
  .refine((text) => URL.parse(text)?.username === "" && URL.parse(text)?.password === "", "an address without a password");

/** The name of a variable in the environment or in `.dialogs/nostr.keys`. */
const KeyEnv = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "the name of an environment variable");

/** The key that an agent of this project signs with. */
export const NostrAgentConfig = z.strictObject({ keyEnv: KeyEnv });

/** Which relays a served project uses, and who may talk to it there. */
export const NostrConfig = z.strictObject({
  relays: z.array(Relay).max(20).default([]),
  /** Whose events are accepted. Everybody else's are refused. */
  allow: z.array(PublicKey).default([]),
  /** Who may approve calls there. Nobody else, whatever they sign. */
  approve: z.array(PublicKey).default([]),
  /** The project's own key. Messages to it go to the default agent; agents without a key sign with it. */
  project: z
    .strictObject({
      keyEnv: KeyEnv,
      /** The project's identifier in its own event (kind 31933); default: the folder's name. */
      d: z.string().min(1).max(100).optional(),
    })
    .optional(),
});
export type NostrConfig = z.infer<typeof NostrConfig>;
