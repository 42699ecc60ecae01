/** Usual addresses of local model servers. */
const PLACES = [
  { server: "ollama", baseURL: "http://127.0.0.1:11434/v1" },
  { server: "lmstudio", baseURL: "http://127.0.0.1:1234/v1" },
  { server: "llama.cpp", baseURL: "http://127.0.0.1:8080/v1" },
] as const;

export interface LocalServer {
  readonly server: string;
  readonly baseURL: string;
  readonly models: readonly string[];
}

/** The servers that respond on this machine, and their models. Silent ones cost at most one timeout together. */
export async function localServers(fetch: typeof globalThis.fetch, timeoutMs = 400): Promise<readonly LocalServer[]> {
  const asked = await Promise.all(
    PLACES.map(async (place) => {
      const models = await modelsAt(place.baseURL, fetch, timeoutMs);
      return models && { ...place, models };
    }),
  );
  return asked.filter((one) => one !== undefined);
}

async function modelsAt(baseURL: string, fetch: typeof globalThis.fetch, timeoutMs: number): Promise<readonly string[] | undefined> {
  try {
    const response = await fetch(`${baseURL}/models`, { signal: AbortSignal.timeout(timeoutMs) });
    const { data } = (await response.json()) as { readonly data?: readonly { readonly id?: unknown }[] };
    return data?.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
  } catch {
    return undefined; // nothing there, or not a model server
  }
}
