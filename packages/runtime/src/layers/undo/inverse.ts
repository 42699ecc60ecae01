import { join } from "node:path";
import type { DoneMark, Left } from "../apply/journal.ts";
import { type Identity, statOf } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";
import type { Manifest, Operation } from "../operation.ts";

/** What undoes an applied layer; or that it cannot be undone, since what it replaced is not kept any more. */
export type Inverse = { readonly kind: "inverse"; readonly manifest: Manifest } | { readonly kind: "gone" };

/** The operations that take an applied layer back, the last one first. A path where somebody else's version stands is a conflict. */
export function inverseOf(layer: LayerFolder, manifest: Manifest, { left }: DoneMark, gitFolders: readonly string[]): Inverse {
  if (!left) return { kind: "gone" };
  const operations: Operation[] = [];
  const conflicts: string[] = [];
  for (const [at, operation] of [...manifest.operations.entries()].toReversed()) {
    if (isNewObject(operation, gitFolders)) continue;
    const found = left[at] ?? null;
    if (found === null) conflicts.push(operation.path);
    else {
      const inverse = inverseOne(layer, operation, at, found);
      if (!inverse) return { kind: "gone" };
      operations.push(inverse);
    }
  }
  // Permissions last and from within, as when it was applied.
  const metas = operations.filter((one) => one.do === "meta").toSorted((one, other) => (one.path > other.path ? -1 : 1));
  const sorted = [...operations.filter((one) => one.do !== "meta"), ...metas];
  return { kind: "inverse", manifest: { version: 1, conflicts, bytes: 0, operations: sorted } };
}

/** Undefined where what it replaced is not kept. */
function inverseOne(layer: LayerFolder, operation: Operation, at: number, found: NonNullable<Left>): Operation | undefined {
  const { path } = operation;
  const now = found === "nothing" ? undefined : found;
  if (operation.do === "meta") {
    if (!operation.was || !now) return undefined;
    const before: Identity = { kind: now.kind, ino: now.ino, state: now.kind === "file" ? now.state : "", ctimeNs: "" };
    return { do: "meta", path, ...operation.was, before };
  }
  if (operation.do === "put" && operation.before === undefined) return now && { do: "remove", path, before: now };
  const source = `before/${at}`;
  const kept = statOf(join(layer.path, source));
  return kept && { do: "put", path, source, ino: String(kept.ino), mode: undefined, before: now };
}

/** Another commit may lead to it by now; git itself removes what nothing leads to. */
const isNewObject = (operation: Operation, gitFolders: readonly string[]): boolean =>
  operation.do === "put" && operation.before === undefined && gitFolders.some((folder) => operation.path.startsWith(`${folder}/objects/`));
