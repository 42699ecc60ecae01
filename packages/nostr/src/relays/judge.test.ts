import type { NostrEvent } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Judge, MAX_AGE_S } from "./judge.ts";
import { Signer } from "../signer.ts";

const signer = await Signer.load();
const [anna, eve] = [signer.newKey(), signer.newKey()];
const NOW = 1_900_000_000;

const signed = (given: Partial<NostrEvent> = {}, secret = anna): NostrEvent =>
  signer.sign({ kind: 1111, created_at: NOW, tags: [["p", "a".repeat(64)]], content: "Hello", ...given }, secret);
const judging = () => {
  const refusals: string[] = [];
  const judge = new Judge(signer, { kinds: [1111, 513], authors: [signer.publicKey(anna)] }, (reason) => refusals.push(reason));
  return { judge, refusals };
};

test("[NS8] each reason to refuse an event has its counter", () => {
  const { judge, refusals } = judging();
  const genuine = signed();
  const cases: [unknown, string][] = [
    [undefined, "malformed"],
    ["text", "malformed"],
    [{ ...genuine, id: "short" }, "malformed"],
    [{ ...genuine, tags: [[1]] }, "malformed"],
    [{ ...genuine, created_at: 1.5 }, "malformed"],
    [{ ...genuine, content: "\ud800" }, "malformed"],
    [signed({}, eve), "foreign"],
    [signed({ kind: 1 }), "foreign"],
    [signed({ created_at: NOW - MAX_AGE_S - 1 }), "late"],
    [signed({ created_at: NOW + 3_600 }), "late"],
    [{ ...signed({ content: "Pay Anna" }), content: "Pay Eve" }, "forged"],
    [{ ...genuine, sig: signed({ content: "Other" }).sig }, "forged"],
    [{ ...genuine, pubkey: signer.publicKey(eve) }, "foreign"],
  ];
  for (const [given] of cases) expect(judge.admit(given, NOW)).toBeUndefined();
  expect(refusals).toEqual(cases.map(([, reason]) => reason));
  expect(judge.counts).toMatchObject({ accepted: 0, malformed: 6, foreign: 3, late: 2, forged: 2 });
});

test("[NS10] a forged event does not stand in the way of the genuine one", () => {
  const { judge, refusals } = judging();
  const genuine = signed();
  judge.admit({ ...genuine, content: "Something else" }, NOW);
  expect(judge.admit({ ...genuine, extra: "left out" }, NOW)).toEqual(genuine);
  judge.admit(genuine, NOW);
  judge.admit({ ...genuine, content: "Something else" }, NOW);
  expect(refusals).toEqual(["forged", "repeated", "repeated"]);
});
