import { existsSync, readFileSync } from "node:fs";
import type { TouchedPaths } from "../calls/tool.ts";
import type { LayerFolder } from "./layer-folder.ts";
import type { Manifest } from "./operation.ts";

export const touchedPaths = ({ touched = [], operations }: Manifest): TouchedPaths => ({
  changed: touched,
  retimed: operations.flatMap(({ do: kind, path }) => (kind === "meta" ? [path] : [])),
});

/** The paths that a sealed layer touches; none if it doesn't exist. */
export function touchedBy(layer: LayerFolder): TouchedPaths | undefined {
  if (!existsSync(layer.manifest)) return undefined;
  const manifest = JSON.parse(readFileSync(layer.manifest, "utf8")) as Manifest;
  return manifest.touched && touchedPaths(manifest);
}

/** Paths per part: unpacking one takes a millisecond or two. */
const PATHS_PER_PART = 5_000;

/** Paths in transit between threads: a few long texts, because hundreds of thousands of short ones would arrive as one long block. */
export interface PackedPaths {
  readonly changed: readonly string[];
  readonly retimed: readonly string[];
}

export const packed = (touched: TouchedPaths | undefined): PackedPaths | undefined =>
  touched && { changed: partsOf(touched.changed), retimed: partsOf(touched.retimed) };

const partsOf = (paths: readonly string[]): readonly string[] =>
  Array.from({ length: Math.ceil(paths.length / PATHS_PER_PART) }, (_, nth) =>
    paths.slice(nth * PATHS_PER_PART, (nth + 1) * PATHS_PER_PART).join("\0"),
  );

/** Lets everything else in this process run between the parts. */
export async function unpacked(packedPaths: PackedPaths | undefined): Promise<TouchedPaths | undefined> {
  return packedPaths && { changed: await allOf(packedPaths.changed), retimed: await allOf(packedPaths.retimed) };
}

async function allOf(parts: readonly string[]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const [nth, part] of parts.entries()) {
    if (nth > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    paths.push(...part.split("\0"));
  }
  return paths;
}
