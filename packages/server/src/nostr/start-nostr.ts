import { basename } from "node:path";
import type { Project } from "@colloquy/library";
import type { Nostr } from "@colloquy/nostr";
import { npubOf, publicKeyIn } from "@colloquy/schema";
import { libraryNostr } from "./library-nostr.ts";

/** Brings a project to its relays, if the settings name any. Without them, none of the code is loaded. */
export async function startNostr(project: Project, report: (message: string) => void): Promise<Nostr | undefined> {
  const { agents } = project;
  const { nostr } = agents;
  if (!nostr) return undefined;
  const { config, keys } = nostr;
  if (keys.missing.length > 0) {
    const names = keys.missing.join(", ");
    report(`Nostr: ${names} ${keys.missing.length === 1 ? "is" : "are"} not set. Run colloquy nostr keys, or set the environment.`);
  }
  const { Nostr: Adapter } = await import("@colloquy/nostr");
  const started = new Adapter({
    project: libraryNostr(project),
    keys,
    relays: [...new Set(config.relays)],
    people: async () => {
      await agents.refresh();
      const { allow = [], approve = [] } = agents.settings?.config.nostr ?? {};
      return { allow: keysIn(allow), approve: keysIn(approve) };
    },
    d: config.project?.d ?? basename(project.dir),
    report,
  });
  started.start();
  project.showNostr(async () => {
    const { keys: own, ...state } = await started.state();
    const publicKeys = own.map(({ name, pubkey }) => ({ name, npub: npubOf(pubkey) }));
    return { keys: publicKeys, ...state, relays: [...state.relays], counts: { ...state.counts }, handled: { ...state.handled } };
  });
  return started;
}

const keysIn = (written: readonly string[]): ReadonlySet<string> => new Set(written.flatMap((key) => publicKeyIn(key) ?? []));
