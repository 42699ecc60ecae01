import fc from "fast-check";
import { expect, test } from "vitest";
import { npubOf, nsecOf, publicKeyIn, secretKeyIn } from "./nostr-key.ts";

// The examples of NIP-19.
const HEX = "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e";
const NPUB = "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg";
const SECRET = "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ffa";
const NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5";

test("[NS15] keys are read and written as people know them", () => {
  expect(npubOf(HEX)).toBe(NPUB);
  expect(publicKeyIn(NPUB)).toBe(HEX);
  expect(nsecOf(SECRET)).toBe(NSEC);
  expect(secretKeyIn(NSEC)).toBe(SECRET);
  expect(publicKeyIn(HEX)).toBe(HEX);
});

test("[NS15] a key with a mistake in it is no key", () => {
  for (const wrong of ["", "npub1", NSEC, NPUB.toUpperCase(), `${NPUB}q`, NPUB.slice(0, -1), HEX.slice(1), HEX.toUpperCase()])
    expect(publicKeyIn(wrong)).toBeUndefined();
  expect(secretKeyIn(NPUB)).toBeUndefined();
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: NPUB.length - 1 }),
      fc.constantFrom("q", "p", "z", "r", "y", "9", "x", "8", "l"),
      (at, letter) => {
        fc.pre(NPUB[at] !== letter);
        expect(publicKeyIn(NPUB.slice(0, at) + letter + NPUB.slice(at + 1))).toBeUndefined();
      },
    ),
  );
});

test("[NS15] every key survives being written", () => {
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"));
  fc.assert(fc.property(key, (hex) => publicKeyIn(npubOf(hex)) === hex));
});
