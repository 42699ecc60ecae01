export { Identities } from "./identities.ts";
export { Nostr } from "./nostr.ts";
export type { NostrProject } from "./nostr-project.ts";
export { profileEvents, publishOnce } from "./profile.ts";
export { Signer } from "./signer.ts";
