import { Fault } from "@colloquy/schema";
import type { StoreAddress } from "./store-address.ts";

/** Raised by `commit_batch`. */
export const FENCED = "CQ001";
export const CONFLICT = "CQ002";

/** The oldest supported server release that has everything we use. */
export const OLDEST_SERVER = 14;

/** PostgreSQL's five characters, or the system's code for a failed connection. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** PostgreSQL's classes 08 (connection) and 57P (shutdown), and every driver error without a PostgreSQL code. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith("08") || /^57P0[1-4]$/.test(code);
}

const REFUSING = "Nothing new is accepted; what was accepted is safe.";

/** The database's error, for the caller of the statement. */
export function translated(error: unknown, { shown, schema }: StoreAddress): Fault {
  const cause = { cause: error };
  const said = error instanceof Error ? error.message : String(error);
  const code = codeOf(error) ?? "";
  if (code.startsWith("53"))
    return new Fault(
      "log_full",
      "later",
      `The database has no room (${said}). ${REFUSING} Free some space: work resumes by itself.`,
      cause,
    );
  if (code === "25006")
    return new Fault(
      "log_full",
      "later",
      `The database ${shown} is read-only. ${REFUSING} Make it writable, or point the store at the primary: work resumes by itself.`,
      cause,
    );
  if (code === "42501")
    return new Fault("store_readonly", "never", `The database ${shown} refuses: ${said}. ${grant(schema)} Then start again.`, cause);
  return new Fault("log_unavailable", "never", `The database ${shown} refuses: ${said}. Start the server again.`, cause);
}

/** What kept the store from being opened. */
export function unopened(error: unknown, address: StoreAddress): unknown {
  if (error instanceof Fault) return error;
  const { shown, schema } = address;
  const cause = { cause: error };
  const said = error instanceof Error ? error.message || String(codeOf(error)) : String(error);
  const code = codeOf(error) ?? "";
  if (code === "3D000")
    return new Fault("store_unreachable", "never", `There is no such database: ${shown}. Create it: createdb ${nameIn(shown)}`, cause);
  if (code.startsWith("28"))
    return new Fault(
      "store_unreachable",
      "never",
      `${shown} refuses this user: ${said}. Check the user's name, and give the password in the address or as PGPASSWORD.`,
      cause,
    );
  if (code === "42501") return new Fault("store_readonly", "never", `The user of ${shown} lacks a right: ${said}. ${grant(schema)}`, cause);
  if (code === "25006")
    return new Fault("store_readonly", "never", `The database ${shown} is read-only. Point the store at the primary server.`, cause);
  if (code.startsWith("53") && code !== "53300") return translated(error, address);
  if (code === "53300" || isConnectionLost(error))
    return new Fault(
      "store_unreachable",
      "later",
      `No connection to ${shown}: ${said}. Is the server running, and the address right?`,
      cause,
    );
  return error;
}

const grant = (schema: string): string => `An administrator can help: CREATE SCHEMA IF NOT EXISTS "${schema}" AUTHORIZATION the-user;`;

const nameIn = (shown: string): string => decodeURIComponent(new URL(shown).pathname.slice(1));

export const tooOld = (version: string): Fault =>
  new Fault("store_unfit", "never", `PostgreSQL ${version} is too old. Colloquy needs version ${OLDEST_SERVER} or later.`);

export const tooNew = (shown: string): Fault =>
  new Fault("store_unfit", "never", `The project in ${shown} was written by a newer Colloquy. Update this one.`);
