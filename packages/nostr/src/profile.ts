import type { NostrEvent } from "@colloquy/schema";
import type { Identities } from "./identities.ts";
import { PROFILE_KIND, PROJECT_KIND } from "./kinds.ts";
import type { Keys } from "./nostr-project.ts";
import { RelayThread } from "./relays/relay-thread.ts";
import type { Signer } from "./signer.ts";

interface Described {
  readonly keys: Keys;
  readonly identities: Identities;
  readonly members: readonly { readonly id: string; readonly name: string }[];
  /** The folder's name. */
  readonly name: string;
  readonly d: string;
  readonly nowS: number;
}

/** Who the agents are and which of them belong to the project. A relay keeps only the newest of each. */
export function profileEvents({ keys, identities, members, name, d, nowS }: Described, signer: Signer): readonly NostrEvent[] {
  const nameOf = (id: string) => members.find((member) => member.id === id)?.name ?? id;
  const profile = (about: object, secret: string) =>
    signer.sign({ kind: PROFILE_KIND, created_at: nowS, tags: [], content: JSON.stringify(about) }, secret);
  const agents = [...keys.agents].map(([id, secret]) => profile({ name: nameOf(id), bot: true }, secret));
  if (keys.project === undefined) return agents;
  const listed = identities.all.flatMap(({ name: id, pubkey }) => (pubkey === identities.project ? [] : [["agent", pubkey, nameOf(id)]]));
  const tags = [["d", d], ["title", name], ...listed];
  return [
    ...agents,
    profile({ name, bot: true }, keys.project),
    signer.sign({ kind: PROJECT_KIND, created_at: nowS, tags, content: "" }, keys.project),
  ];
}

/** What became of the events at one relay. `missing`: it has not answered in time. */
export interface Published {
  readonly relay: string;
  readonly accepted: number;
  readonly refused: readonly string[];
  readonly missing: number;
}

/** Sends events once, until each relay has answered or the signal comes. */
export async function publishOnce(
  relays: readonly string[],
  events: readonly NostrEvent[],
  { authKey, signal }: { readonly authKey: string | undefined; readonly signal: AbortSignal },
): Promise<readonly Published[]> {
  const outcomes = new Map(relays.map((relay) => [relay, { accepted: 0, refused: [] as string[] }]));
  const { promise, resolve } = Promise.withResolvers<void>();
  const answered = (relay: string, why: string | undefined) => {
    const outcome = outcomes.get(relay);
    if (why === undefined && outcome) outcome.accepted += 1;
    else if (why !== undefined) outcome?.refused.push(why);
    if ([...outcomes.values()].every(({ accepted, refused }) => accepted + refused.length >= events.length)) resolve();
  };
  const thread = new RelayThread(
    { relays: relays.map((url) => ({ url, cursor: undefined })), policy: { kinds: [], authors: [] }, authKey },
    {
      batch: async () => {},
      accepted: (relay) => answered(relay, undefined),
      refused: (relay, _id, why) => answered(relay, why),
      state: () => {},
      failed: () => resolve(),
    },
  );
  signal.addEventListener("abort", () => resolve(), { once: true });
  for (const relay of relays) for (const event of events) thread.publish(relay, event.id, JSON.stringify(["EVENT", event]));
  if (events.length > 0) await promise;
  await thread.close();
  return [...outcomes].map(([relay, { accepted, refused }]) => ({
    relay,
    accepted,
    refused,
    missing: events.length - accepted - refused.length,
  }));
}
