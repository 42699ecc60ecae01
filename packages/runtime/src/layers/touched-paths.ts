import { existsSync, readFileSync } from "node:fs";
import type { TouchedPaths } from "../calls/tool.ts";
import type { LayerFolder } from "./layer-folder.ts";
import type { Manifest } from "./operation.ts";

export const touchedPaths = ({ touched = [], operations }: Manifest): TouchedPaths => ({
  changed: touched,
  retimed: operations.flatMap(({ do: kind, path }) => (kind === "meta" ? [path] : [])),
});

/** What a sealed layer touches; nothing where there is none. */
export function touchedBy(layer: LayerFolder): TouchedPaths | undefined {
  if (!existsSync(layer.manifest)) return undefined;
  const manifest = JSON.parse(readFileSync(layer.manifest, "utf8")) as Manifest;
  return manifest.touched && touchedPaths(manifest);
}
