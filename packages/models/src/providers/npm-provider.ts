import { existsSync, readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Fault } from "@colloquy/schema";
import { type AiModel, isAiModel } from "./ai-model.ts";
import { isRecord } from "./sdk-prompt.ts";

/** A provider's package that the user has installed, and what its factory takes. */
interface NpmProvider {
  /** `npm:NAME` or `npm:NAME#export`. */
  readonly provider: string;
  readonly id: string;
  /** The project's folder: packages are found from there. */
  readonly dir: string;
  readonly options: Readonly<Record<string, unknown>>;
}

const FORM = /^npm:((?:@\w[\w.-]*\/)?\w[\w.-]*)(?:#(\w+))?$/;

/** Imports the package and makes the model. Throws `Fault` with what to do. */
export async function npmModel({ provider, id, dir, options }: NpmProvider): Promise<AiModel> {
  const [, name = "", wanted] = FORM.exec(provider) ?? [];
  const loaded: unknown = await import(pathToFileURL(fileOf(name, dir)).href);
  const factories = isRecord(loaded) || typeof loaded === "object" ? factoriesIn(loaded as Readonly<Record<string, unknown>>) : [];
  const [, make] = factories.find(([key]) => key === wanted) ?? (wanted === undefined ? factories[0] : undefined) ?? [];
  if (!make) {
    const known = factories.map(([key]) => `npm:${name}#${key}`).join(", ");
    throw unusable(`${name} has no ${wanted ?? "function create…"} that makes a provider.${known === "" ? "" : ` Known: ${known}.`}`);
  }
  const made: unknown = make(options);
  const method = isProvider(made) ? Reflect.get(made, "languageModel") : undefined;
  const model: unknown = typeof made === "function" ? made(id) : typeof method === "function" ? method.call(made, id) : undefined;
  if (!isAiModel(model)) throw unusable(`${name} makes no language model "${id}" that the AI SDK of this version understands.`);
  return model;
}

/** `createGoogle`, `createAzure`, …: by convention, what makes a provider. */
const factoriesIn = (loaded: Readonly<Record<string, unknown>>): readonly (readonly [string, (options: unknown) => unknown])[] =>
  Object.entries(loaded).flatMap(([key, value]) =>
    /^create[A-Z]/.test(key) && typeof value === "function" ? [[key, value as (options: unknown) => unknown] as const] : [],
  );

const isProvider = (made: unknown): made is object => typeof made === "function" || isRecord(made);

/**
 * The file that an `import` from the project's folder would load, from an installed package only: seen from inside `node_modules`, the
 * project's own `package.json`, which agents may write, names no package.
 */
function fileOf(name: string, dir: string): string {
  const from = join(dir, "node_modules/colloquy.yaml");
  if (isBuiltin(name)) throw unusable(`${name} is a module of Node, not a provider.`);
  try {
    return createRequire(from).resolve(name);
  } catch (error) {
    const entry = (error as NodeJS.ErrnoException).code === "ERR_PACKAGE_PATH_NOT_EXPORTED" ? importedFile(name, from) : undefined;
    if (entry !== undefined) return entry;
    throw unusable(`The provider ${name} is not installed. In ${dir}: npm install ${name}`);
  }
}

/** Of a package that can only be imported. */
function importedFile(name: string, from: string): string | undefined {
  // Not by findPackageJSON, which Node 22.13 lacks.
  const folders = createRequire(from).resolve.paths(name) ?? [];
  const file = folders.map((folder) => join(folder, name, "package.json")).find((path) => existsSync(path));
  if (file === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(file, "utf8")) as { readonly exports?: unknown };
  const entry = targetOf(isRecord(exports) && "." in exports ? exports["."] : exports);
  return entry === undefined ? undefined : join(dirname(file), entry);
}

function targetOf(entry: unknown): string | undefined {
  if (typeof entry === "string") return entry;
  if (!isRecord(entry)) return undefined;
  return targetOf(entry.node ?? entry.import ?? entry.default);
}

const unusable = (message: string): Fault => new Fault("model_unknown", "never", message);

/** The package of a provider such as `npm:NAME#export`; undefined for other providers. */
export const packageOf = (provider: string): string | undefined => FORM.exec(provider)?.[1];
