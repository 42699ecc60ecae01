import { wrongUsage } from "../line/failure.ts";
import type { OptionValue } from "../line/option.ts";

/** A server's address and token. */
export interface ServerAddress {
  readonly url: string;
  readonly token?: string | undefined;
  readonly projectId?: string | undefined;
}

/** The server named by options or the environment. */
export function namedServer(
  values: Readonly<Record<string, OptionValue>>,
  env: Readonly<Record<string, string | undefined>>,
): ServerAddress | undefined {
  const given = (name: string, variable: string): string | undefined => {
    const typed = values[name];
    return typeof typed === "string" ? typed : env[variable] || undefined;
  };
  const url = given("server", "COLLOQUY_SERVER");
  if (url === undefined) return undefined;
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw wrongUsage(`--server takes an address such as http://127.0.0.1:5740, not "${url}".`);
  return { url, token: given("token", "COLLOQUY_TOKEN"), projectId: given("project", "COLLOQUY_PROJECT") };
}
