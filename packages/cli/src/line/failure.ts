import { ExitCode } from "./exit-code.ts";

/** An error message of one sentence, with its exit code. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exitCode: ExitCode;
  /** For programs. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export const wrongUsage = (message: string): Failure => new Failure(ExitCode.usage, "bad_request", message);
export const notFound = (message: string): Failure => new Failure(ExitCode.notFound, "not_found", message);
export const refused = (code: string, message: string): Failure => new Failure(ExitCode.refused, code, message);

/** Options and commands of parts that this version lacks. */
export const notBuiltYet = (what: string, why = "is not built yet"): Failure =>
  new Failure(ExitCode.usage, "not_built_yet", `${what} ${why}.`);

/** The message for any error. Errors of the library are recognized by name: its classes aren't loaded for a mere `--help`. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (!(error instanceof Error)) return unexpected(String(error), error);
  const { code } = error as { code?: unknown };
  if (error.name === "Disconnected") return keepStack(refused("unavailable", error.message), error);
  if ((error.name === "Refused" || error.name === "Fault") && typeof code === "string") {
    return keepStack(new Failure(exitCodes[code] ?? ExitCode.refused, code, error.message), error);
  }
  const words = typeof code === "string" ? diskWords[code] : undefined;
  if (words !== undefined) return keepStack(refused(String(code).toLowerCase(), words(pathOf(error), String(code))), error);
  return unexpected(error.message, error);
}

const exitCodes: Readonly<Record<string, ExitCode>> = {
  bad_request: ExitCode.usage,
  empty_content: ExitCode.usage,
  not_found: ExitCode.notFound,
  unknown_agent: ExitCode.notFound,
};

const diskWords: Readonly<Record<string, (path: string, code: string) => string>> = {
  EACCES: (path, code) => `No permission for ${path} (${code}). Allow it, or choose another folder.`,
  EPERM: (path, code) => `No permission for ${path} (${code}). Allow it, or choose another folder.`,
  EROFS: (path, code) => `${path} is on a disk that can only be read (${code}). Choose another folder.`,
  ENOSPC: (path, code) => `No room on the disk for ${path} (${code}). What was accepted is safe. Free some space, then try again.`,
  ENOTDIR: (path, code) => `A part of ${path} is a file, not a folder (${code}).`,
};

const pathOf = (error: Error): string => (error as NodeJS.ErrnoException).path ?? "this folder";

const unexpected = (message: string, cause: unknown): Failure =>
  keepStack(refused("bug", `Something went wrong inside Colloquy: ${message}. COLLOQUY_DEBUG=1 shows where.`), cause);

function keepStack(failure: Failure, cause: unknown): Failure {
  failure.cause = cause;
  return failure;
}
