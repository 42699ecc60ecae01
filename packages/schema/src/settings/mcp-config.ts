import { z } from "zod";
import { duration } from "./duration.ts";

/** The prefix of its tools' names, `name__tool`. It may therefore not contain two underscores in a row. */
const ServerName = z
  .string()
  .regex(/^[a-zA-Z](?:_?[a-zA-Z0-9-])*$/, "letters, digits, - and single _, beginning with a letter")
  .max(32);

/** Names whose values can only be keys. */
const KEY_NAMES = /authorization|cookie|(?:^|[-_])(?:api[-_]?key|token|secret|secret[-_]key|access[-_]key|private[-_]key|password)$/i;
export const isKeyName = (name: string): boolean => KEY_NAMES.test(name);
/** `${NAME}` is replaced by that environment variable. */
export const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export const values = z.record(z.string().min(1), z.string()).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (!KEY_NAMES.test(name) || value === "" || value.search(VARIABLE) >= 0) continue;
    context.addIssue({
      code: "custom",
      path: [name],
      message: "looks like a key, and keys come from the environment only: write it as ${NAME} and set NAME there",
    });
  }
});

/** A variable may replace any part of the address, or all of it. */
const isAddress = (text: string): boolean => {
  const example = text.replace(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}/, "http://1").replaceAll(VARIABLE, "1");
  return /^https?:$/.test(URL.parse(example)?.protocol ?? "");
};
export const address = z.string().refine(isAddress, "an address that begins with http:// or https://");

const OF_COMMANDS = ["args", "env", "cwd", "sandbox", "writes"] as const;
const OF_ADDRESSES = ["headers", "tokenEnv"] as const;

/** A program that speaks over standard input and output, or an address that speaks streamable HTTP. */
const McpServerConfig = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.string()).optional(),
    env: values.optional(),
    /** Its working folder; by default the project's. */
    cwd: z.string().min(1).optional(),
    /** Runs it in the sandbox for agents' commands, with the network only if `shell.network` is true. It only reads the project. */
    sandbox: z.boolean().optional(),
    /** In the sandbox it may change the project's files: at once, without a layer and without approval. */
    writes: z.boolean().optional(),
    url: address.optional(),
    headers: values.optional(),
    /** The environment variable with the token sent as `Authorization: Bearer`. */
    tokenEnv: z.string().min(1).optional(),
    /** How long one call may take. */
    timeout: duration.prefault("2m"),
    /** How long it may take to start and list its tools. The first run of `npx` has to download it. */
    startTimeout: duration.prefault("30s"),
  })
  .superRefine((server, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if ((server.command === undefined) === (server.url === undefined))
      refuse([], "give it either a command, with args, env and cwd, or a url, with headers and tokenEnv");
    else if (server.command === undefined)
      for (const key of OF_COMMANDS) if (server[key] !== undefined) refuse([key], "belongs to a command; a url has headers and tokenEnv");
    if (server.writes && !server.sandbox) refuse(["writes"], "belongs to sandbox: true; outside the sandbox a server writes what it likes");
    if (server.url === undefined)
      for (const key of OF_ADDRESSES) if (server[key] !== undefined) refuse([key], "belongs to a url; a command has args, env and cwd");
  });
export type McpServerConfig = z.infer<typeof McpServerConfig>;

/** The environment variables whose values no tool result may show. */
export const secretVariables = ({
  tokenEnv,
  headers = {},
  env = {},
}: Pick<McpServerConfig, "tokenEnv" | "headers" | "env">): readonly string[] => [
  ...(tokenEnv === undefined ? [] : [tokenEnv]),
  ...Object.values(headers).flatMap(variablesIn),
  ...Object.entries(env).flatMap(([name, value]) => (KEY_NAMES.test(name) ? variablesIn(value) : [])),
];

const variablesIn = (text: string): readonly string[] => [...text.matchAll(VARIABLE)].map(([, name = ""]) => name);

export const McpConfig = z.strictObject({ servers: z.record(ServerName, McpServerConfig).default({}) });
export type McpConfig = z.infer<typeof McpConfig>;
