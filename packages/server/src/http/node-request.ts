import type { IncomingMessage } from "node:http";

/** A request's first line and headers, as the web's `Request` takes them. The body is not touched. */
export interface RequestHead {
  readonly method: string;
  readonly address: string;
  readonly headers: Headers;
}

/** Methods that the web's `Request` does not accept. */
const UNSUPPORTED_METHODS: readonly string[] = ["TRACE", "CONNECT", "TRACK"];

/** Reads a Node request's head, or returns which part a web `Request` cannot express. `origin` begins the address. */
export function requestHead(incoming: IncomingMessage, origin: string): RequestHead | "method" | "address" {
  const { method = "GET", url = "/" } = incoming;
  if (UNSUPPORTED_METHODS.includes(method)) return "method";
  const address = addressOf(url, origin);
  if (address === undefined) return "address";
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (name.startsWith(":")) continue; // HTTP/2's own fields, which are not headers
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return { method, address, headers };
}

/** A client may send a whole address, as for a proxy; only its path counts, so that it cannot choose the host. */
function addressOf(url: string, origin: string): string | undefined {
  if (url.startsWith("/")) return URL.canParse(`${origin}${url}`) ? `${origin}${url}` : undefined;
  if (!URL.canParse(url, origin)) return undefined;
  const { pathname, search } = new URL(url, origin);
  return `${origin}${pathname}${search}`;
}
