import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { Refused } from "@colloquy/schema";

/** More than any settings file needs. */
const MAX_BYTES = 4_000_000;

/** The text of a file that a person writes for us: settings, agents, roles. Anything but a file of sensible size is refused at once. */
export function readOwnerFile(path: string): string {
  // Without O_NONBLOCK, opening a named pipe would block until somebody writes to it.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw refusal(`${path} is ${kindOf(stat)}, not a file. Remove it or put a file in its place.`);
    if (stat.size > MAX_BYTES) throw refusal(`${path} has ${stat.size} bytes; at most ${MAX_BYTES} are read.`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

const refusal = (message: string): Refused => new Refused({ code: "bad_config", message });

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return "a folder";
  if (stat.isFIFO()) return "a named pipe";
  if (stat.isSocket()) return "a socket";
  return "a device";
}
