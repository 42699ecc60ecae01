import { type ComponentType, lazy } from "react";

const TRIES = 8;
const LONGEST_MS = 8_000;

/**
 * A part of the app that is loaded when it is first needed. While the server is away it waits and tries again: a page that
 * shows something must not vanish because a part of it is late.
 */
export const whenNeeded = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await patiently(load) }));

async function patiently<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let nth = 1; ; nth++) {
    try {
      return await load();
    } catch (error) {
      if (nth === TRIES) throw error;
      await new Promise((go) => setTimeout(go, Math.min(LONGEST_MS, 500 * 2 ** (nth - 1))));
    }
  }
}
