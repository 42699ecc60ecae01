import type { NostrEvent } from "@colloquy/schema";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CatchUp, type PastFilter } from "./catch-up.ts";

const event = (id: number, created_at: number, tags: string[][] = []): NostrEvent => ({
  id: String(id),
  pubkey: "",
  created_at,
  kind: 1111,
  tags,
  content: "",
  sig: "",
});

/** A relay that gives the newest first, and only `cap` at once. */
const answer = (stored: readonly NostrEvent[], { since, until = Number.POSITIVE_INFINITY, limit }: PastFilter, cap: number) =>
  stored
    .filter(({ created_at }) => created_at >= since && created_at <= until)
    .toSorted((one, other) => other.created_at - one.created_at)
    .slice(0, Math.min(cap, limit));

test("[NS13] everything that a relay stored is read, in the order in which it was written", () => {
  const times = fc.array(fc.integer({ min: 100, max: 400 }), { maxLength: 60 });
  fc.assert(
    fc.property(times, fc.integer({ min: 8, max: 20 }), (seconds, cap) => {
      // A relay cannot give more events of one second than it gives at once.
      const counts = new Map<number, number>();
      const stored = seconds.flatMap((second, nth) => {
        counts.set(second, (counts.get(second) ?? 0) + 1);
        return (counts.get(second) ?? 0) < cap ? [event(nth, second)] : [];
      });
      const catchUp = new CatchUp(100);
      const seen = new Set<string>();
      for (let pages = 0, isMore = true; isMore; isMore = catchUp.turnPage()) {
        expect(++pages).toBeLessThan(1_000);
        for (const one of answer(stored, catchUp.filter, cap)) {
          catchUp.received(one.created_at);
          if (!seen.has(one.id)) catchUp.keep(one);
          seen.add(one.id);
        }
      }
      const read = catchUp.take();
      expect(read.map(({ id }) => id).toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
      expect(read.map(({ created_at }) => created_at)).toEqual(stored.map(({ created_at }) => created_at).toSorted((a, b) => a - b));
    }),
  );
});

test("[NS13] within a second, what is answered comes before its answer", () => {
  const catchUp = new CatchUp(0);
  for (const one of [event(2, 5, [["e", "1"]]), event(1, 5)]) catchUp.keep(one);
  expect(catchUp.take().map(({ id }) => id)).toEqual(["1", "2"]);
});

test("[NS13] a relay that repeats itself or lies about times does not keep us reading for ever", () => {
  const lies: (number | undefined)[][] = [[7], [7, 7], [undefined], [0], [Number.MAX_SAFE_INTEGER]];
  for (const lie of lies) {
    const catchUp = new CatchUp(3);
    for (let pages = 0, isMore = true; isMore; isMore = catchUp.turnPage()) {
      expect(++pages).toBeLessThan(20);
      for (const createdAt of lie) catchUp.received(createdAt);
    }
  }
});
