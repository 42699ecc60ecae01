import { join } from "node:path";
import type { DoneMark, Left } from "../apply/journal.ts";
import { orRefreshed } from "../git-index-entries.ts";
import { contentIdentityAt, type Identity, statOf } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";
import type { Manifest, Operation } from "../operation.ts";

/** The operations that undo an applied layer; or that it can't be undone, since the versions it replaced are no longer kept. */
export type Inverse = { readonly kind: "inverse"; readonly manifest: Manifest } | { readonly kind: "gone" };

/** The operations that undo an applied layer, last one first. A path with somebody else's version is a conflict. */
export function inverseOf(layer: LayerFolder, manifest: Manifest, { left }: DoneMark, gitFolders: readonly string[]): Inverse {
  if (!left) return { kind: "gone" };
  const operations: Operation[] = [];
  const conflicts: string[] = [];
  for (const [at, operation] of [...manifest.operations.entries()].toReversed()) {
    if (isNewObject(operation, gitFolders)) continue;
    const then = left[at] ?? null;
    const found = then === null || then === "nothing" ? then : orRefreshed(layer.root, operation.path, then, contentIdentityAt);
    if (found === null) conflicts.push(operation.path);
    else {
      const inverse = inverseOne(layer, operation, at, found);
      if (!inverse) return { kind: "gone" };
      operations.push(inverse);
    }
  }
  // Permissions last and inside out, as when it was applied.
  const metas = operations.filter((one) => one.do === "meta").toSorted((one, other) => (one.path > other.path ? -1 : 1));
  const sorted = [...operations.filter((one) => one.do !== "meta"), ...metas];
  return { kind: "inverse", manifest: { version: 1, conflicts, bytes: 0, operations: sorted } };
}

/** Undefined if the version it replaced isn't kept. */
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

/** Another commit may refer to it by now; git itself removes unreachable objects. */
const isNewObject = (operation: Operation, gitFolders: readonly string[]): boolean =>
  operation.do === "put" && operation.before === undefined && gitFolders.some((folder) => operation.path.startsWith(`${folder}/objects/`));
