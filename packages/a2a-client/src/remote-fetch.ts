/** Somebody must change something: it makes no sense to try again. */
export class Unusable extends Error {
  override readonly name = "Unusable";
}

const MAX_BYTES = 16 * 1024 * 1024;

/** `fetch` for one agent's address: with its headers, to its own origin only, without redirects, and with answers of bounded size. */
export function remoteFetch(url: string, headers: () => Readonly<Record<string, string>>, signal: AbortSignal): typeof fetch {
  const { origin } = new URL(url);
  return async (input, init) => {
    const to = new URL(input instanceof Request ? input.url : input);
    // The card comes from the other side: it must not send our token, or us, elsewhere.
    if (to.origin !== origin) throw new Unusable(`Its card leads to ${to.origin}, which is not the address in the settings (${origin}).`);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers())) all.set(name, value);
    const either = init?.signal ? AbortSignal.any([init.signal, signal]) : signal;
    const answer = await fetch(to, { ...init, headers: all, signal: either, redirect: "manual" });
    if (answer.status === 401 || answer.status === 403)
      throw new Unusable(`It refuses the token (${answer.status}). Check tokenEnv of this agent in colloquy.yaml.`);
    if (answer.status >= 300 && answer.status < 400)
      throw new Unusable(`It redirects elsewhere (${answer.status}), which is not followed.`);
    if (answer.status === 404 && !answer.headers.get("content-type")?.includes("json"))
      throw new Unusable(`There is nothing at ${to.pathname} (404).`);
    const { status, statusText, headers: given } = answer;
    return new Response(answer.body && bounded(answer.body), { status, statusText, headers: given });
  };
}

function bounded(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > MAX_BYTES) controller.error(new Unusable(`It sends more than ${MAX_BYTES / 1024 / 1024} MB.`));
        else controller.enqueue(chunk);
      },
    }),
  );
}
