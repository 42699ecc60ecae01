import { Refused } from "@colloquy/schema";
import { environmentOf, type Environment } from "../open/environment.ts";
import { settingsIfAny } from "./settings.ts";

interface SigningIn {
  readonly env: Environment;
  /** Shows the person the page to visit. */
  readonly visit: (url: string) => void;
  readonly signal: AbortSignal;
}

/** A person signs in at an MCP server of the project, by OAuth. Returns the server's address. The project need not be open. */
export async function signInToServer(dir: string, name: string, { env, visit, signal }: SigningIn): Promise<string> {
  const url = await addressOf(dir, name, env);
  const { signIn, SignInFile } = await import("@colloquy/mcp");
  try {
    await signIn({ url, file: new SignInFile(env, { dir, name, url }), visit, signal });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Refused({ code: "unavailable", message: `You are not signed in at ${url}. ${why}` });
  }
  return url;
}

/** False if nobody was signed in. */
export async function signOutOfServer(dir: string, name: string, env: Environment): Promise<boolean> {
  const url = await addressOf(dir, name, env);
  const { SignInFile } = await import("@colloquy/mcp");
  return new SignInFile(env, { dir, name, url }).remove();
}

async function addressOf(dir: string, name: string, env: Environment): Promise<string> {
  const { servers } = (await settingsIfAny(dir)).config.mcp;
  const url = servers[name]?.url;
  if (url === undefined) {
    const known = Object.entries(servers).flatMap(([one, server]) => (server.url === undefined ? [] : one));
    throw new Refused({ code: "not_found", message: `There is no MCP server "${name}" with a url. Known: ${known.join(", ") || "none"}.` });
  }
  const { filledIn } = await import("@colloquy/mcp");
  return filledIn(url, environmentOf(dir, env), `mcp.servers.${name}.url`);
}
