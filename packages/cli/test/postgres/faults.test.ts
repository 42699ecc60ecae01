import { expect, test } from "vitest";
import { nodes } from "../faults/nodes.ts";

// The short form of `npm run faults -- nodes`.
test("[PG42] three servers and their database fail in turn under load: nothing acknowledged is lost, nothing happens twice", async () => {
  const { problems } = await nodes(3, 8, () => {});
  expect(problems).toEqual([]);
});
