import { type ComponentType, lazy } from "react";

const MAX_TRIES = 8;
const MAX_PAUSE_MS = 8_000;

/**
 * A part of the app that is loaded when it is first needed. While the server is away it waits and tries again: a page that
 * shows something must not vanish because a part of it is late.
 */
export const whenNeeded = <Module, Props extends object>(load: () => Promise<Module>, pick: (module: Module) => ComponentType<Props>) =>
  lazy(async () => ({ default: pick(await retrying(load)) }));

async function retrying<Module>(load: () => Promise<Module>): Promise<Module> {
  let next = load;
  for (let nth = 1; ; nth++) {
    try {
      return await next();
    } catch (error) {
      if (nth === MAX_TRIES) throw error;
      const address = addressIn(error);
      // Some browsers remember that an address failed and do not ask for it again; with a query it is another one.
      if (address !== undefined) next = () => import(/* @vite-ignore */ `${address}?again=${nth}`) as Promise<Module>;
      await new Promise((go) => setTimeout(go, Math.min(MAX_PAUSE_MS, 500 * 2 ** (nth - 1))));
    }
  }
}

/** Browsers name the module that could not be loaded in their message, and nowhere else. */
const addressIn = (error: unknown): string | undefined =>
  error instanceof Error ? /https?:\/\/[^\s?]+\.js/.exec(error.message)?.[0] : undefined;
