import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npubOf } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Person, startRelay } from "../../../nostr/test/support.ts";
import { colloquy, project } from "../support.ts";

/** A project whose settings name keys that are set nowhere. */
function named(relay: string): string {
  const dir = project();
  const settings = `agents:
  lead: { name: Lead, role: "You lead.", default: true, nostr: { keyEnv: LEAD_NSEC } }
  coder: { name: Coder, role: "You write code." }
nostr: { relays: ["${relay}"], allow: [], project: { keyEnv: PROJECT_NSEC, d: shop } }
`;
  writeFileSync(join(dir, "colloquy.yaml"), settings);
  return dir;
}

test("[NS17] keys that are missing are made once, and only public keys are shown", async () => {
  const dir = named("ws://127.0.0.1:1");
  const made = await colloquy(dir, "nostr", "keys", "--json");
  const { keys } = JSON.parse(made.stdout) as { keys: readonly { name: string; npub: string; isNew: boolean }[] };
  expect(keys.map(({ name, isNew }) => [name, isNew])).toEqual([
    ["lead", true],
    ["(project)", true],
  ]);
  const file = join(dir, ".dialogs/nostr.keys");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const secrets = [...readFileSync(file, "utf8").matchAll(/nsec1\w+/g)].map(([secret]) => secret);
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) expect(made.stdout).not.toContain(secret);
  const again = await colloquy(dir, "nostr", "keys", "--json");
  expect(JSON.parse(again.stdout)).toEqual({ keys: keys.map((key) => ({ ...key, isNew: false })) });
});

test("[NS17] relays are told who the agents are, and status needs a server", async () => {
  const relay = await startRelay();
  const dir = named(relay.url);
  const none = await colloquy(dir, "nostr", "publish-profile");
  expect(none.stderr).toContain("colloquy nostr keys");
  const { keys } = JSON.parse((await colloquy(dir, "nostr", "keys", "--json")).stdout) as { keys: readonly { npub: string }[] };
  const published = await colloquy(dir, "nostr", "publish-profile");
  expect(published.stdout).toBe(`${relay.url}: 3 of 3 accepted\n`);
  const anna = await new Person().connect(relay.url, [0, 31933]);
  const project31933 = await anna.hears(({ kind }) => kind === 31933);
  const lead = await anna.hears(({ kind, content }) => kind === 0 && content.includes("Lead"));
  expect(project31933.tags).toContainEqual(["agent", lead.pubkey, "Lead"]);
  expect(keys[0]?.npub).toBe(npubOf(lead.pubkey));
  const status = await colloquy(dir, "nostr", "status");
  expect(status.stderr).toContain("colloquy serve");
});
