import { expect, test } from "vitest";
import { Lane } from "./lane.ts";

test("[S10] the current limit applies; first come, first served", async () => {
  let limit = 1;
  const lane = new Lane(() => limit);
  const { signal } = new AbortController();
  const inside: string[] = [];
  const come = (who: string) => lane.enter(signal).then((leave) => (inside.push(who), leave));
  const leave = await come("one");
  void come("two");
  void come("three");
  await Promise.resolve();
  expect(inside).toEqual(["one"]);
  limit = 2;
  const four = come("four");
  await Promise.resolve();
  await Promise.resolve();
  expect(inside).toEqual(["one", "two"]);
  limit = 3;
  leave();
  (await four)();
  expect(inside).toEqual(["one", "two", "three", "four"]);
});

test("[S10] an aborted waiter takes no place in the lane", async () => {
  const lane = new Lane(() => 1);
  const [given, waiting] = [new AbortController(), new AbortController()];
  const leave = await lane.enter(waiting.signal);
  const givenUp = lane.enter(given.signal);
  const next = lane.enter(waiting.signal);
  given.abort(new Error("enough"));
  await expect(givenUp).rejects.toThrow("enough");
  leave();
  (await next)();
});
