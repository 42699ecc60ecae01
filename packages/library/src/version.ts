import { readFileSync } from "node:fs";

/** The version in the package's own package.json, which is one folder above both sources and bundle. */
export function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
