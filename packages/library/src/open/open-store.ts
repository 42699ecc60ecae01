import { hostname } from "node:os";
import type { Store } from "@colloquy/store";
import { readSettings } from "../team/settings.ts";
import { version } from "../version.ts";
import { foldEntry } from "./fold-entry.ts";
import { joinStore, refuseForgottenStore, refuseOwnDialogs } from "./folder-store.ts";

/** How this process takes part, if others share the store. */
export interface NodeSettings {
  /** Processes with the same place see the same working files; default: this machine and folder. */
  readonly place?: string | undefined;
  /** Where its server answers. */
  readonly url?: string | undefined;
  readonly claims?: "all" | "touched" | "none";
}

/** The folder's own store, or one in a database. */
export async function openStore(dir: string, url = "", node: NodeSettings = {}): Promise<Store> {
  if (url === "" || url === "file:") {
    refuseForgottenStore(dir);
    const { openFileStore } = await import("@colloquy/store-file");
    return openFileStore(dir, { foldEntry });
  }
  const { openPostgresStore, storeAddress } = await import("@colloquy/store-postgres");
  const address = storeAddress(url);
  refuseOwnDialogs(dir);
  const place = node.place ?? (await placeOf(dir));
  const store = await openPostgresStore(address, {
    place,
    url: node.url,
    version: version(),
    claims: node.claims ?? "all",
  });
  try {
    joinStore(dir, { store: address.shown, project: address.project, id: store.projectId });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What `server.place` says. Unreadable settings are reported when the project is opened. */
async function placeOf(dir: string): Promise<string> {
  const settings = await readSettings(dir).catch(() => undefined);
  return settings?.config.server.place ?? `${hostname()}:${dir}`;
}
