import fc from "fast-check";
import { expect, test } from "vitest";
import { PersistentMap } from "./persistent-map.ts";

const operation = fc.tuple(fc.constantFrom("set", "delete"), fc.string({ maxLength: 2 }), fc.integer());

test("a persistent map behaves like a map, and its old versions stay unchanged", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      let map = PersistentMap.empty<number>();
      const model = new Map<string, number>();
      for (const [kind, key, value] of operations) {
        const before = map;
        const had = before.get(key);
        map = kind === "set" ? map.set(key, value) : map.delete(key);
        if (kind === "set") model.set(key, value);
        else model.delete(key);
        expect(before.get(key)).toBe(had);
      }
      expect(map.size).toBe(model.size);
      expect(new Map(map.entries())).toEqual(model);
      for (const [key, value] of model) expect(map.get(key)).toBe(value);
    }),
  );
});

test("keys with equal hashes are kept apart", () => {
  const keys = Array.from({ length: 20_000 }, (_, nth) => nth.toString(16).padStart(32, "0"));
  const map = PersistentMap.from(keys.map((key) => [key, key] as const));
  expect(keys.every((key) => map.get(key) === key)).toBe(true);
  expect(keys.reduce((left, key) => left.delete(key), map).size).toBe(0);
});

test("a map built at once equals one built key by key, and its old versions stay unchanged", () => {
  // Only the last 24 characters are hashed, so these long keys collide.
  const key = fc.oneof(
    fc.string({ maxLength: 2 }),
    fc.string({ minLength: 3, maxLength: 3 }).map((start) => start.padEnd(40, "x")),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.integer()), { maxLength: 100 }), key, (entries, another) => {
      const model = new Map(entries);
      const map = PersistentMap.from(entries);
      map.set(another, 0).delete(entries[0]?.[0] ?? "");
      expect(map.size).toBe(model.size);
      expect(new Map(map.entries())).toEqual(model);
      for (const [one, value] of model) expect(map.get(one)).toBe(value);
    }),
  );
});
