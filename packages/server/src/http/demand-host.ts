import { isIP } from "node:net";
import { Problem } from "./problem.ts";

export interface OwnHosts {
  /** As the settings or `--host` say. */
  readonly listening: string;
  /** The address of this machine that the request came to. */
  readonly reachedAt: string | undefined;
  readonly origins: readonly string[];
}

/**
 * A page of another site can let its own name lead to this machine (DNS rebinding): to the browser it is then of the same origin as this
 * server. Its requests carry that name, so a name that is not ours is refused. Programs that send no name at all are no browsers.
 */
export function demandHost(host: string | undefined, { listening, reachedAt, origins }: OwnHosts): void {
  if (host === undefined) return;
  const name = hostnameOf(host);
  if (name !== undefined) {
    if (isLoopbackName(name) || name === plain(listening)) return;
    if (isIP(name) !== 0 && name === plain(reachedAt ?? "")) return;
    if (origins.some((origin) => plain(new URL(origin).hostname) === name)) return;
  }
  throw new Problem(
    "wrong_origin",
    `${host.slice(0, 100)} is no name of this server. Use its own address, or name this one in colloquy.yaml: ` +
      'server: { origins: ["https://agents.example.org"] }',
  );
}

/** Without the port; undefined for what is no name and no address. */
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
