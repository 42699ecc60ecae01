import { entryFor, treeId } from "@colloquy/store/contract";
import { expect, test } from "vitest";
import { Catalog } from "./catalog.ts";
import { rowText } from "./courses/index-row.ts";
import { entryText } from "./inspect/rebuild.ts";

const one = treeId(1);

test("[L55] files written while the index is written are not reported as outdated next time", () => {
  const lines: string[] = [];
  const catalog = new Catalog((at) => lines[at] ?? "");
  const written = () => {
    const rows = catalog.fresh();
    return {
      dues: rows.map(({ isDue }) => isDue),
      over: () => rows.forEach((row) => catalog.wrote(row, lines.push(rowText(row)) - 1, rowText(row).length)),
    };
  };
  catalog.put(one, { seq: 1, course: 1, size: 10, entry: entryText(entryFor(one)) });
  const first = written();
  expect(first.dues).toEqual([true]);
  catalog.projected(one);
  first.over();
  expect([...catalog.due()]).toEqual([]);
  const second = written();
  expect(second.dues).toEqual([false]);
  second.over();
  expect(catalog.fresh()).toEqual([]);
  expect(catalog.get(one)).toMatchObject({ seq: 1, entry: { status: "running" } });
});
