// Generates docs/reference from the schemas. `--check` only says whether it is up to date.
import { execFileSync } from "node:child_process";
import { LIBRARY_REFERENCE, libraryReference } from "./library-reference.mjs";
import { isBuilt, root as here } from "./set-up.mjs";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { ClientPacket, type Route, ROUTES, ServerPacket, TreeEvent, ProjectEvent, WireError, WireErrorCode } from "@colloquy/schema";
import { problems, surfacesPage } from "./surfaces.ts";
import root from "../package.json" with { type: "json" };

type Json = { [key: string]: unknown };

/** Components are shared by all routes: a schema with an id is written once. */
const components: Record<string, unknown> = {};

function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" }) as Json & {
    $defs?: Json;
  };
  for (const [name, one] of Object.entries($defs)) components[name] ??= relinked(one);
  return relinked(rest) as Json;
}

/** References point to OpenAPI's shared components. */
function relinked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relinked);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "id")
      .map(([key, one]) => [
        key,
        key === "$ref" && typeof one === "string" ? one.replace("#/$defs/", "#/components/schemas/") : relinked(one),
      ]),
  );
}

function openApi(): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const error = schemaOf(WireError, "output");
  for (const route of ROUTES as readonly Route[]) {
    const path = `/api${route.path.replaceAll(/:(\w+)/g, "{$1}")}`;
    const query = route.query
      ? (z.toJSONSchema(route.query, { io: "input", unrepresentable: "any" }) as { properties?: Json; required?: string[] })
      : {};
    const binary = { schema: { type: "string", format: "binary" } };
    const answer = route.answer
      ? { "application/json": { schema: schemaOf(route.answer, "output") } }
      : { [route.gives ?? "text/event-stream"]: route.gives ? binary : {} };
    (paths[path] ??= {})[route.method.toLowerCase()] = {
      operationId: route.name,
      summary: route.about,
      "x-role": route.needs,
      ...(route.needs === "nobody" && { security: [] }),
      parameters: [
        ...[...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } })),
        ...Object.entries(query.properties ?? {}).map(([name, schema]) => ({
          name,
          in: "query",
          required: query.required?.includes(name) ?? false,
          schema,
        })),
      ],
      ...(route.takes && { requestBody: { content: { [route.takes]: binary } } }),
      ...(route.body && { requestBody: { content: { "application/json": { schema: schemaOf(route.body, "input") } } } }),
      responses: {
        [route.status]: { description: "Done.", content: answer },
        default: { description: "Refused.", content: { "application/json": { schema: error } } },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Colloquy", version: root.version, license: { name: root.license, identifier: root.license } },
    security: [{ token: [] }],
    paths,
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } }, schemas: components },
  };
}

/** A type on one line: enough to write a packet by hand. */
function typeText(schema: unknown, depth = 0): string {
  const one = schema as Json & {
    anyOf?: unknown[];
    oneOf?: unknown[];
    enum?: unknown[];
    items?: unknown;
    properties?: Json;
    required?: string[];
  };
  if (typeof one.$ref === "string") return one.$ref.split("/").at(-1) ?? "";
  if (one.const !== undefined) return JSON.stringify(one.const);
  if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(" \\| ");
  const some = one.anyOf ?? one.oneOf;
  if (some) return some.map((each) => typeText(each, depth)).join(" \\| ");
  if (one.type === "array") return `${typeText(one.items, depth)}[]`;
  if (one.properties) return depth > 1 ? "{…}" : `{${fieldsText(one, depth + 1)}}`;
  return typeof one.type !== "string" || one.type === "object" ? "any" : one.type;
}

function fieldsText({ properties = {}, required = [] }: { properties?: Json; required?: string[] }, depth: number): string {
  return Object.entries(properties)
    .map(([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeText(schema, depth)}`)
    .join(", ");
}

function packetTable(packets: readonly z.ZodType[], io: "input" | "output", shared: readonly string[]): string {
  const rows = packets.map((packet) => {
    const json = z.toJSONSchema(packet, { io, unrepresentable: "any" }) as { properties: Json; required?: string[] };
    const type = (json.properties.type as { const: string }).const;
    const fields = Object.entries(json.properties).filter(([name]) => name !== "type" && !shared.includes(name));
    const text = fields.map(([name, schema]) => `\`${name}${json.required?.includes(name) ? "" : "?"}\`: ${typeText(schema)}`).join(" · ");
    return `| \`${type}\` | ${text} |`;
  });
  return ["| type | fields |", "| --- | --- |", ...rows].join("\n");
}

const page = () => `# Packets and events

<!-- Made by scripts/reference.ts from packages/schema. Change the schemas, then: npm run reference -->

The protocol over the WebSocket, and every event of the log. [API.md](../API.md) says how they are used; [openapi.json](openapi.json) is the HTTP API. Named types (\`Question\`, \`Notification\`, …) are in openapi.json. \`?\` marks what may be absent.

## From the client

Each has \`type\` and \`requestId\`, and may have \`project\`.

${packetTable(ClientPacket.options, "input", ["requestId", "project"])}

## From the server

${packetTable(ServerPacket.options, "output", [])}

## Events of a tree

In \`recorded\`, in \`GET …/events\` and in the log. Each has \`type\`, \`dialog\` and \`course\`.

${packetTable(TreeEvent.options, "output", ["dialog", "course"])}

## Events of the project

${packetTable(ProjectEvent.options, "output", [])}

## Codes

${WireErrorCode.options.map((code) => `\`${code}\``).join(", ")}
`;

const folder = join(dirname(fileURLToPath(import.meta.url)), "../docs/reference");
const files = { "openapi.json": `${JSON.stringify(openApi(), undefined, 2)}\n`, "packets.md": page(), "surfaces.md": surfacesPage() };
for (const problem of problems()) {
  console.log(problem);
  process.exitCode = 1;
}
if (process.argv.includes("--check")) {
  const stale = Object.entries(files).filter(([name, text]) => readOrNothing(join(folder, name)) !== text);
  for (const [name] of stale) console.log(`docs/reference/${name} is not what the schemas say. Make it again: npm run reference`);
  if (stale.length > 0) process.exit(1);
  console.log("the reference is what the schemas say");
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  if (!isBuilt()) execFileSync(process.execPath, ["scripts/build.mjs"], { cwd: here, stdio: "inherit" });
  writeFileSync(join(here, LIBRARY_REFERENCE), libraryReference());
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
