/** Messages, delegations and responses (NIP-22). */
export const MESSAGE_KIND = 1111;
/** Words as they come. Ephemeral: relays pass them on and keep nothing. */
export const STREAM_KIND = 21_111;
/** What delegations were in earlier programs: accepted as a message, never sent. */
const OLD_DELEGATION_KIND = 513;
export const PROJECT_KIND = 31_933;
export const ARTICLE_KIND = 30_023;
/** A person's or an agent's profile (NIP-01). */
export const PROFILE_KIND = 0;
/** Answers a relay that wants to know who connects (NIP-42). */
export const AUTH_KIND = 22_242;

export const ACCEPTED_KINDS: readonly number[] = [MESSAGE_KIND, OLD_DELEGATION_KIND];
