import { Refused } from "@colloquy/schema";

/** A project's location: a database, and a name in it. */
export interface StoreAddress {
  /** For the driver; may contain a password. */
  readonly connection: string;
  /** For people: without the password. */
  readonly shown: string;
  readonly project: string;
  /** The PostgreSQL schema with the project's tables. */
  readonly schema: string;
}

const EXAMPLE = "postgres://user@host/database?project=NAME";
/** A schema's name has at most 63 bytes, and notifications use the same name. */
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Parses `postgres://user@host/database?project=NAME`; throws `Refused` with what is valid. Never repeats a password. */
export function storeAddress(url: string, named?: string): StoreAddress {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol)) throw refused(`A store's address looks like ${EXAMPLE}.`);
  const inUrl = parsed.searchParams.get("project") ?? undefined;
  parsed.searchParams.delete("project");
  if (parsed.pathname.length < 2) throw refused(`The store's address names no database. It looks like ${EXAMPLE}.`);
  if (inUrl !== undefined && named !== undefined && inUrl !== named)
    throw refused(`The store's address names project "${inUrl}", the settings "${named}". Keep one of them.`);
  const project = inUrl ?? named;
  if (project === undefined) throw refused(`The store's address names no project. Add it: ${shownUrl(parsed)}?project=NAME`);
  if (!NAME.test(project)) {
    const rule = "a small letter, then up to 39 small letters, digits, _ or -";
    throw refused(`"${project}" cannot be a project's name in a database: ${rule}. For example: ?project=shop`);
  }
  return { connection: parsed.href, shown: shownUrl(parsed), project, schema: `colloquy_${project}` };
}

const refused = (message: string): Refused => new Refused({ code: "bad_request", message });

function shownUrl(url: URL): string {
  const shown = new URL(url);
  shown.password = "";
  shown.search = "";
  return shown.href;
}
