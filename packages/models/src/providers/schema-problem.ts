import { didYouMean } from "../catalog/did-you-mean.ts";
import { isRecord } from "./sdk-prompt.ts";

export type Path = readonly (string | number)[];

/** The part of a schema used here: anything with Zod's `safeParse`. */
export interface Schema<Value> {
  safeParse(
    data: unknown,
  ):
    | { readonly success: true; readonly data: Value }
    | { readonly success: false; readonly error: { readonly issues: readonly unknown[] } };
}

/** One problem with a value, in words, and its path. */
export interface Problem {
  readonly path: Path;
  readonly text: string;
}

interface Issue {
  readonly code: string;
  readonly path: Path;
  readonly message: string;
  readonly [more: string]: unknown;
}

/** The problems, with the valid choices. */
export function problemsOf(schema: unknown, issues: readonly unknown[], base: Path = []): readonly Problem[] {
  return (issues as readonly Issue[]).flatMap((issue) => problemsOfIssue(schema, issue, [...base, ...issue.path]));
}

function problemsOfIssue(schema: unknown, issue: Issue, path: Path): readonly Problem[] {
  switch (issue.code) {
    case "unrecognized_keys": {
      const known = keysAt(schema, path);
      return (issue.keys as readonly string[]).map((key) => ({ path: [...path, key], text: unknownKey(key, known) }));
    }
    case "invalid_union":
      return problemsOfUnion(schema, issue, path);
    case "invalid_value":
      return [{ path, text: `is not one of the possible values. Known: ${(issue.values as readonly unknown[]).join(", ")}.` }];
    case "invalid_type":
      return [
        {
          path,
          text: issue.message.endsWith("undefined")
            ? `is missing: ${article(String(issue.expected))}`
            : `must be ${article(String(issue.expected))}`,
        },
      ];
    case "invalid_key":
      return [{ path, text: (issue.issues as readonly Issue[] | undefined)?.[0]?.message ?? issue.message }];
    default:
      return [{ path, text: issue.message }];
  }
}

/** The variant of a union that was meant: it knows the keys, and has the fewest problems. */
function problemsOfUnion(schema: unknown, issue: Issue, path: Path): readonly Problem[] {
  const forms = ((issue.errors ?? []) as readonly (readonly Issue[])[]).filter((form) => form.length > 0);
  const meant = forms.filter((form) => !form.some(isOtherForm)).toSorted((a, b) => a.length - b.length);
  if (meant[0]) return problemsOf(schema, meant[0], path);

  const known = keysAt(schema, path);
  const given = [...new Set(forms.flat().flatMap((one) => (one.code === "unrecognized_keys" ? (one.keys as readonly string[]) : [])))];
  const wrong = given.filter((key) => !known.includes(key));
  if (wrong.length > 0) return wrong.map((key) => ({ path: [...path, key], text: unknownKey(key, known) }));
  if (given.length > 1) return [{ path, text: `has ${given.join(" and ")}, of which only one may be there. Several make a list.` }];
  const nested = forms.flat().find((one) => one.code === "invalid_union");
  if (nested) return problemsOfUnion(schema, nested, [...path, ...nested.path]);
  return [{ path, text: known.length > 0 ? `must have one of: ${known.join(", ")}` : "has none of the possible forms" }];
}

const isOtherForm = (issue: Issue): boolean =>
  issue.path.length === 0 && ["unrecognized_keys", "invalid_type", "invalid_union"].includes(issue.code);

const unknownKey = (key: string, known: readonly string[]): string =>
  `"${key}" is unknown.${didYouMean(key, known)}${known.length > 0 ? ` Known: ${known.join(", ")}.` : ""}`;

const KINDS: Readonly<Record<string, string>> = { array: "list", record: "object", int: "whole number", string: "text" };

function article(expected: string): string {
  const kind = KINDS[expected] ?? expected;
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** The keys that a schema knows at a path; for a union, those of all variants. */
function keysAt(schema: unknown, path: Path): readonly string[] {
  const keys = path
    .reduce<readonly unknown[]>((schemas, step) => schemas.flatMap((one) => inner(one, step)), [schema])
    .flatMap(objectsIn)
    .flatMap(shapeKeys);
  return [...new Set(keys)];
}

function inner(schema: unknown, step: string | number): readonly unknown[] {
  return objectsIn(schema).flatMap((one) => {
    const def = defOf(one);
    if (isRecord(def.shape)) return step in def.shape ? [def.shape[step]] : [];
    return def.element !== undefined && typeof step === "number" ? [def.element] : def.valueType !== undefined ? [def.valueType] : [];
  });
}

/** The schemas with content, unwrapped. */
function objectsIn(schema: unknown): readonly unknown[] {
  const def = defOf(schema);
  if (Array.isArray(def.options)) return def.options.flatMap(objectsIn);
  return def.innerType === undefined ? [schema] : objectsIn(def.innerType);
}

const shapeKeys = (schema: unknown): readonly string[] => {
  const { shape } = defOf(schema);
  return isRecord(shape) ? Object.keys(shape) : [];
};

function defOf(schema: unknown): Readonly<Record<string, unknown>> {
  const def = isRecord(schema) || typeof schema === "function" ? (schema as { readonly def?: unknown }).def : undefined;
  return isRecord(def) ? def : {};
}
