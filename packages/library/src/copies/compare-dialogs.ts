import { compareStories, Story } from "@colloquy/core";
import type { Comparison, Line, RootId, TreeEvent } from "@colloquy/schema";
import type { Store } from "@colloquy/store";
import { Breath } from "../transfer/breath.ts";

const PAGE_LINES = 200;

/** Reads both logs and compares them, and lets other work run in between. */
export async function compareDialogs(store: Store, left: RootId, right: RootId): Promise<Comparison> {
  const titleOf = (rootId: RootId) => store.entry(rootId)?.title ?? "";
  const sides = { left: await storyOf(store, left), right: await storyOf(store, right) };
  return compareStories(
    { rootId: left, title: titleOf(left), story: sides.left },
    { rootId: right, title: titleOf(right), story: sides.right },
  );
}

async function storyOf(store: Store, rootId: RootId): Promise<Story> {
  const story = new Story();
  const breath = new Breath();
  for (let seq = 0; ;) {
    const lines = (await store.read(rootId, seq, PAGE_LINES)) as readonly Line<TreeEvent>[];
    const last = lines.at(-1);
    if (!last) return story;
    for (const line of lines) {
      story.add(line);
      await breath.pause();
    }
    seq = last.seq + last.events.length - 1;
  }
}
