import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { OpenOptions, Reach } from "@colloquy/library";
import { refused } from "../line/failure.ts";
import { homePath } from "./paths.ts";
import { library } from "../dialogs/session.ts";
import type { Shell } from "../line/shell.ts";
import { trustedFolder, trustFolder, trustsAll, trustStamp } from "./trusted-folders.ts";

/** A folder's trust. */
export interface Judged {
  /** What it would run and send, and which tokens and dialogs came with it. */
  readonly reach: readonly Reach[];
  readonly hash: string;
  /** A digest of the server's token in the folder. */
  readonly token: string;
  readonly isTrusted: boolean;
  /** It was trusted, and would do something else now. */
  readonly isChanged: boolean;
  readonly since: string | undefined;
}

/** Reads the folder's files and runs nothing. Throws `Refused` (`bad_config`) if its settings are unreadable. */
export async function judgeFolder(dir: string, { env }: Pick<Shell, "env">): Promise<Judged> {
  const { describeArrivals, describeReach, reachHash } = await library();
  const settings = await describeReach(dir);
  const known = trustedFolder(dir, env);
  const hash = reachHash(settings);
  const token = (await import("@colloquy/server/server-file")).tokenDigest(dir);
  // Earlier versions stored no token digest: any token is accepted.
  const isReplaced = known?.token !== undefined && token !== "" && known.token !== token;
  const arrivals = known ? (isReplaced ? [REPLACED] : []) : await describeArrivals(dir);
  const reach = [...settings, ...arrivals];
  const isTrusted = reach.length === 0 || (known?.hash === hash && !isReplaced);
  return { reach, hash, token, isTrusted, isChanged: known !== undefined && !isTrusted, since: isTrusted ? known?.at : undefined };
}

const REPLACED: Reach = { what: "admits anyone who has its token, which was not made here", where: ".dialogs/server-token" };

/** Has this person used or trusted the folder before? Otherwise nothing in its `.dialogs/` is ours: no token, no running server. */
export const isKnownFolder = (dir: string, { env }: Pick<Shell, "env">): boolean => trustsAll(env) || trustedFolder(dir, env) !== undefined;

/**
 * Before something runs or leaves this machine because of the folder's files: lists it, and asks a person once. In a pipe nobody can be
 * asked.
 */
export async function demandTrust(dir: string, { shell, json }: { readonly shell: Shell; readonly json?: boolean }): Promise<void> {
  const { env } = shell;
  if (trustsAll(env)) return;
  const judged = await judgeFolder(dir, shell);
  if (judged.isTrusted) return remember(dir, shell, judged);
  const text = `${headline(dir, shell, judged)}\n${reachText(judged.reach)}`;
  if (!shell.canAsk || json) throw refused("not_trusted", `${text}\nIf you trust it: colloquy trust ${shown(dir, shell)}`);
  shell.err.write(`${text}\n`);
  const prompts = await import("@clack/prompts");
  const answer = await prompts.confirm({ message: "Do you trust this folder?", initialValue: false });
  if (answer !== true) throw refused("not_trusted", "Nothing was run. To read without running anything: colloquy ls, show, log, tree");
  await trust(dir, shell, judged);
}

/** A person trusts the folder, and the programs of its MCP servers, in their current state. */
export async function trust(dir: string, shell: Pick<Shell, "env" | "now">, judged: Pick<Judged, "hash" | "token">): Promise<void> {
  trustFolder(dir, shell.env, judged, shell.now());
  await (await library()).allowServers(dir, shell.env);
}

/** A folder that runs and sends nothing needs no trust. It is recorded as ours, so that its dialogs don't count as somebody else's. */
function remember(dir: string, { env, now }: Pick<Shell, "env" | "now">, judged: Judged): void {
  if (judged.since !== undefined) return;
  try {
    trustFolder(dir, env, judged, now());
  } catch {
    // If it can't be recorded, the person is asked when there is something to ask.
  }
}

/** Records a folder that has nothing to trust, whatever the command does with it. */
export async function rememberHarmless(dir: string, shell: Shell): Promise<void> {
  if (trustsAll(shell.env) || trustedFolder(dir, shell.env)) return;
  const judged = await judgeFolder(dir, shell).catch(() => undefined); // Broken settings are reported when they are opened.
  if (judged && judged.reach.length === 0) remember(dir, shell, judged);
}

/** The folder has no project files that could have come from elsewhere. */
export const isFreshFolder = (dir: string): boolean =>
  ["colloquy.yaml", "agents", ".dialogs"].every((name) => !existsSync(join(dir, name)));

/** A folder that we have just created belongs to its creator. */
export async function trustNewFolder(dir: string, shell: Pick<Shell, "env" | "now">): Promise<void> {
  if (trustsAll(shell.env)) return;
  const { describeReach, reachHash } = await library();
  try {
    trustFolder(dir, shell.env, { hash: reachHash(await describeReach(dir)), token: "" }, shell.now());
  } catch {
    // The folder exists anyway, and the person is asked when there is something to ask.
  }
}

/** The person changes who has access, which is part of what is trusted: the folder stays trusted. */
export async function changeTrusted(dir: string, shell: Pick<Shell, "env" | "now">, change: () => Promise<void>): Promise<void> {
  const before = trustsAll(shell.env) ? undefined : await judgeFolder(dir, shell);
  await change();
  if (!before?.isTrusted) return;
  trustFolder(dir, shell.env, await judgeFolder(dir, shell), shell.now());
}

/** Records the server's token as ours: a later one that isn't ours is noticed. */
export function noteToken(dir: string, shell: Pick<Shell, "env" | "now">, token: string): void {
  const known = trustsAll(shell.env) ? undefined : trustedFolder(dir, shell.env);
  if (!known || known.token === token) return;
  try {
    trustFolder(dir, shell.env, { hash: known.hash, token }, shell.now());
  } catch {
    // If it can't be recorded, the person is asked again.
  }
}

/** For a process that keeps a project open: settings that would run or send something else take effect only once a person trusts them. */
export function trustGate(dir: string, shell: Pick<Shell, "env">): OpenOptions["trust"] {
  if (trustsAll(shell.env)) return undefined;
  return {
    stamp: () => trustStamp(dir, shell.env),
    admits: (hash) => trustedFolder(dir, shell.env)?.hash === hash,
    howTo: `colloquy trust ${realpathSync(dir)}`,
  };
}

export const reachText = (reach: readonly Reach[]): string => reach.map(({ what, where }) => `  ${what} (${where})`).join("\n");

function headline(dir: string, shell: Pick<Shell, "env">, { isChanged }: Judged): string {
  const folder = homePath(dir, shell.env);
  return isChanged ? `${folder} has changed since you trusted it. It now:` : `You have not trusted ${folder} yet. It:`;
}

const shown = (dir: string, { env }: Pick<Shell, "env">): string => {
  const path = homePath(dir, env);
  return /^[\w./~-]+$/.test(path) ? path : `'${dir.replaceAll("'", `'\\''`)}'`;
};
