import { type ComponentType, lazy } from "react";

const MAX_TRIES = 8;
const MAX_PAUSE_MS = 8_000;

/**
 * A part of the app that is loaded when it is first needed. If that fails, for example because the server is away, it is retried: a
 * page must not vanish because one of its parts is late.
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
      // Some browsers remember a failed import and don't repeat the request. A query makes it a new address.
      if (address !== undefined) next = () => import(/* @vite-ignore */ `${address}?again=${nth}`) as Promise<Module>;
      await new Promise((go) => setTimeout(go, Math.min(MAX_PAUSE_MS, 500 * 2 ** (nth - 1))));
    }
  }
}

/** Browsers name the module that failed to load only in the error's message. */
const addressIn = (error: unknown): string | undefined =>
  error instanceof Error ? /https?:\/\/[^\s?]+\.js/.exec(error.message)?.[0] : undefined;
