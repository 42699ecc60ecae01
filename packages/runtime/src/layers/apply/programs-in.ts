import { join } from "node:path";
import { aboveAny, belowAny } from "../judge/refusals.ts";
import { statOf } from "../identity.ts";
import type { LayerFolder } from "../layer-folder.ts";
import type { Manifest } from "../operation.ts";

/** The paths by which a layer would change one of these programs: the program itself, or a link in the place of a folder above it. */
export function programsIn(layer: LayerFolder, { operations, touched = [] }: Manifest, programs: readonly string[]): readonly string[] {
  if (programs.length === 0) return [];
  const isProgram = belowAny(programs);
  const isAbove = aboveAny(programs);
  // A new folder is one operation, whatever is in it.
  const paths = new Set([...operations.map(({ path }) => path), ...touched]);
  return [...paths].filter((path) => isProgram(path) || (isAbove(path) && isLinkIn(layer, operations, path)));
}

function isLinkIn(layer: LayerFolder, operations: Manifest["operations"], path: string): boolean {
  return operations.some((operation) => {
    if (operation.do !== "put" || (path !== operation.path && !path.startsWith(`${operation.path}/`))) return false;
    return statOf(join(layer.path, operation.source, path.slice(operation.path.length)))?.isSymbolicLink() === true;
  });
}
