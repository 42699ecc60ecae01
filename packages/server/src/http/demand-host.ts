import { isIP } from "node:net";
import { Refused } from "@colloquy/schema";

export interface OwnHosts {
  /** From the settings or `--host`. */
  readonly listening: string;
  /** The local address that received the request. */
  readonly reachedAt: string | undefined;
  readonly origins: readonly string[];
}

/**
 * Prevents DNS rebinding: a page of another site can point its own name at this machine, and the browser then takes it for the same
 * origin as this server. Its requests carry that name, so unknown names are refused. Browsers always send a name.
 */
export function demandHost(host: string | undefined, { listening, reachedAt, origins }: OwnHosts): void {
  if (host === undefined) return;
  const name = hostnameOf(host);
  if (name !== undefined) {
    if (isLoopbackName(name) || name === plain(listening)) return;
    if (isIP(name) !== 0 && name === plain(reachedAt ?? "")) return;
    if (origins.some((origin) => plain(new URL(origin).hostname) === name)) return;
  }
  throw new Refused({
    code: "wrong_origin",
    message:
      `${host.slice(0, 100)} is no name of this server. Use its own address, or name this one in colloquy.yaml: ` +
      'server: { origins: ["https://agents.example.org"] }',
  });
}

/** With several names, a proxy and this server could each believe another one. `headers`: names and values in turn, as received. */
export function demandOneHost(headers: readonly string[]): void {
  const count = headers.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (count > 1) throw new Refused({ code: "bad_request", message: "A request has one Host header." });
}

/** Without the port; undefined if it is neither a name nor an address. */
function hostnameOf(host: string): string | undefined {
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.test(host)) return undefined;
  const url = URL.parse(`http://${host}`);
  return url ? plain(url.hostname) : undefined;
}

const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^::ffff:(?=\d+\.)/, "");

const isLoopbackName = (name: string): boolean => name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
