import { RootId } from "@colloquy/schema";
import { expect, test } from "vitest";
import { Precedence } from "./precedence.ts";

const tree = (n: number): RootId => RootId.parse(String(n).padStart(32, "0"));

/** Everything that is ready to go on goes on. */
const passed = async (): Promise<void> => {
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
};

test("[S15] what people said goes before what agents did, a few at a time; within a tree the order stays", async () => {
  const soon: (() => void)[] = [];
  const precedence = new Precedence((work) => soon.push(work));
  const went: string[] = [];
  const come = (name: string, n: number, isFromPerson: boolean) => void precedence.wait(tree(n), isFromPerson).then(() => went.push(name));

  for (let n = 0; n < 40; n += 1) come(`agent ${n}`, n, false);
  come("person in 39", 39, true);
  come("person in 50", 50, true);
  await passed();
  const atOnce = went.length;
  expect(went).toEqual(Array.from({ length: atOnce }, (_, n) => `agent ${n}`));
  expect(atOnce).toBeLessThan(40);

  soon.shift()?.();
  await passed();
  expect(went.slice(atOnce, atOnce + 2)).toEqual(["person in 50", `agent ${atOnce}`]);
  expect(went.length).toBe(2 * atOnce);

  for (let work = soon.shift(); work; work = soon.shift()) {
    work();
    await passed();
  }
  expect(went.length).toBe(42);
  expect(went.indexOf("person in 39")).toBe(went.indexOf("agent 39") + 1);
});

test("[S15] who comes alone goes on at once, as often as it comes", async () => {
  const soon: (() => void)[] = [];
  const precedence = new Precedence((work) => soon.push(work));
  let went = 0;
  for (let n = 0; n < 100; n += 1) {
    void precedence.wait(tree(1), false).then(() => (went += 1));
    await passed();
    expect(went).toBe(n + 1);
    for (const work of soon.splice(0)) work();
  }
});
