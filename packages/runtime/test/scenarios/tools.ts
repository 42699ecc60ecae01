import { defineTool } from "@colloquy/runtime";
import type { Store } from "@colloquy/store";
import { z } from "zod";
import { crashingStore } from "@colloquy/testing/internals";

/** A tool with a countable effect, in a world that outlives the process. */
export function ledger() {
  const entries: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    input: z.strictObject({ to: z.string() }),
    run: ({ to }) => (entries.push(to), `paid ${to}`),
  });
  return { entries, pay };
}

export const look = defineTool({
  name: "look",
  description: "Looks.",
  input: z.strictObject({ at: z.string().default("here") }),
  reads: true,
  run: ({ at }) => `saw ${at}`,
});

/** A promise and its resolver. */
export function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** Lets everything run that can run without the clock. */
export const settle = async (turns = 30): Promise<void> => {
  for (let nth = 0; nth < turns; nth++) await new Promise((go) => setImmediate(go));
};

/** For a world that dies at one commit: wraps its store, and tells when it dies. */
export function doom(point: NonNullable<Parameters<typeof crashingStore>[1]>) {
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const through = (store: Store): Store => {
    const crashing = crashingStore(store, point);
    void crashing.died.then(resolve);
    return crashing.store;
  };
  return { through, died };
}
