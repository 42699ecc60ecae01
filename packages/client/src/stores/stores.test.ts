import type { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Api } from "../api.ts";
import { Stores } from "./stores.ts";

const unreachable = new Api({ url: "http://here.invalid", fetch: () => Promise.reject(new Error("nobody is there")) });
const stop = () => undefined;
const newStores = () =>
  new Stores({
    api: () => unreachable,
    watchProject: () => stop,
    watchTree: () => stop,
    onOpen: () => stop,
    after: () => stop,
    now: () => 0,
  });

test("[CL27] the last twenty of 200 visited dialogs are kept, and any that is still shown", () => {
  const stores = newStores();
  const show = (id: string) => [stores.dialog("shop", id), stores.tree("shop", id as RootId)] as const;
  const shown = show("shown");
  const stops = shown.map((store) => store.subscribe(stop));
  const visited = Array.from({ length: 200 }, (_, nth) => show(`d${nth}`));
  const isKept = (nth: number) => show(`d${nth}`).every((store, which) => store === visited[nth]?.[which]);
  for (let nth = 199; nth >= 180; nth--) expect(isKept(nth)).toBe(true);
  expect(isKept(179)).toBe(false);
  expect(show("shown").every((store, which) => store === shown[which])).toBe(true);
  for (const end of stops) end();
});
