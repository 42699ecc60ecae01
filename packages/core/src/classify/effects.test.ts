import type { CallEffects, FileEffect } from "@colloquy/schema";
import { describe, expect, test } from "vitest";
import type { ClassifyRules } from "./classify.ts";
import { classedPaths, classifyEffects, touchedIn } from "./effects.ts";

const effects = (files: readonly FileEffect[], git: readonly string[] = []): CallEffects => ({
  files: [...files],
  counts: { created: 0, changed: 0, emptied: 0, deleted: 0, moved: 0, lost: 0 },
  bytes: 0,
  git: [...git],
  refused: [],
});
const classify = (all: CallEffects, rules: ClassifyRules) => classifyEffects(all, classedPaths(touchedIn(all), rules));
const classes = (files: readonly FileEffect[], git?: readonly string[]) =>
  classify(effects(files, git), { architecture: ["docs/adr/**"] }).map((finding) => finding.class);
const many = (count: number, kind: FileEffect["kind"], folder = "src"): readonly FileEffect[] =>
  Array.from({ length: count }, (_, nth) => ({ path: `${folder}/${nth}.ts`, kind }));

describe("[AU18] a command's effects decide its class", () => {
  test.each<[string, readonly FileEffect[], readonly string[], readonly string[]]>([
    ["a new file", [{ path: "a.ts", kind: "created" }], [], []],
    ["a change", [{ path: "a.ts", kind: "changed" }], [], []],
    ["a deletion that git can bring back", [{ path: "a.ts", kind: "deleted" }], [], []],
    ["a deletion that nobody can bring back", [{ path: "a.ts", kind: "deleted", isLost: true }], [], ["destructive"]],
    ["work thrown away by a checkout", [{ path: "a.ts", kind: "changed", isLost: true }], [], ["destructive"]],
    ["a file emptied, and lost", [{ path: "a.ts", kind: "emptied", isLost: true }], [], ["destructive"]],
    ["eight deletions", many(8, "deleted"), [], []],
    ["nine deletions", many(9, "deleted"), [], ["destructive"]],
    ["deletions and emptied files together", [...many(5, "deleted"), ...many(4, "emptied", "lib")], [], ["destructive"]],
    ["a whole folder", [{ path: "src", kind: "deleted", files: 2 }], [], ["destructive"]],
    ["a whole folder that a build makes anew", [{ path: "dist", kind: "deleted", files: 200 }], [], []],
    ["the same, where something in it is lost", [{ path: "dist/db.sqlite", kind: "deleted", isLost: true }], [], ["destructive"]],
    ["a folder that moved", [{ path: "lib", kind: "moved", from: "src", files: 30 }], [], []],
    ["fifty rewritten files", many(50, "changed"), [], []],
    ["more than fifty rewritten files", many(51, "changed"), [], ["destructive"]],
    ["a branch that is gone", [], ["branch main deleted"], ["destructive"]],
    ["a manifest", [{ path: "web/package.json", kind: "changed" }], [], ["dependencyModifications"]],
    ["a manifest that moved away", [{ path: "old.json", kind: "moved", from: "package.json" }], [], ["dependencyModifications"]],
    ["a manifest of an installed package", [{ path: "node_modules/a/package.json", kind: "created" }], [], []],
    ["a decision", [{ path: "docs/adr/1.md", kind: "created" }], [], ["architectureDecisions"]],
  ])("%s", (_, files, git, expected) => {
    expect(classes(files, git)).toEqual(expected);
  });

  test.each([
    ["vendor/ours/**", "vendor/ours/api.go", true],
    ["**/vendor/*.txt", "lib/vendor/modules.txt", true],
    ["node_modules/@us/contract/*.d.ts", "node_modules/@us/contract/index.d.ts", true],
    ["**/*.d.ts", "node_modules/other/index.d.ts", false],
    ["vendor/ours/**", "vendor/theirs/api.go", false],
  ])("[AU18] among installed packages, %s and %s", (pattern, path, isDecision) => {
    const findings = classify(effects([{ path, kind: "changed" }]), { architecture: [pattern] });
    expect(findings.map((finding) => finding.class)).toEqual(isDecision ? ["architectureDecisions"] : []);
  });

  test("[AU18] the finding names the files", () => {
    expect(classify(effects(many(9, "deleted")), { architecture: [] })).toEqual([
      { class: "destructive", part: "src/0.ts, src/1.ts, src/2.ts, src/3.ts, src/4.ts (+4)" },
    ]);
  });
});
