import type { Keys } from "./nostr-project.ts";
import type { Signer } from "./signer.ts";

interface Team {
  members(): readonly { readonly id: string }[];
  defaultAgent(): string | undefined;
}

/** Who of the team is addressed by which key, and who signs with which. */
export class Identities {
  readonly #keys: Keys;
  readonly #team: Team;
  readonly #agents = new Map<string, string>();
  readonly project: string | undefined;

  constructor(keys: Keys, team: Team, signer: Pick<Signer, "publicKey">) {
    this.#keys = keys;
    this.#team = team;
    for (const [id, secret] of keys.agents) this.#agents.set(signer.publicKey(secret), id);
    this.project = keys.project === undefined ? undefined : signer.publicKey(keys.project);
  }

  /** The secret key that an agent signs with: its own, else the project's. */
  secretOf(agent: string): string | undefined {
    return this.#keys.agents.get(agent) ?? this.#keys.project;
  }

  /** Any key of ours: relays only want to know who connects. */
  get authKey(): string | undefined {
    return this.#keys.project ?? this.#keys.agents.values().next().value;
  }

  /** The public keys of agents and of the project, by whose they are. */
  get all(): readonly { readonly name: string; readonly pubkey: string }[] {
    const agents = [...this.#agents].map(([pubkey, name]) => ({ name, pubkey }));
    return this.project === undefined ? agents : [...agents, { name: "", pubkey: this.project }];
  }

  /**
   * The agents that these keys address, in order; the project's key stands for its default agent. An agent does not address itself, unless
   * it names a phase.
   */
  addressed(keys: readonly string[], author: string, phase: string | undefined): readonly string[] {
    const members = new Set(this.#team.members().map(({ id }) => id));
    const self = phase === undefined ? this.#agents.get(author) : undefined;
    const found = keys.flatMap((key) => this.#agents.get(key) ?? (key === this.project ? (this.#team.defaultAgent() ?? []) : []));
    return [...new Set(found)].filter((id) => members.has(id) && id !== self);
  }
}
