import type { DialogAddress } from "@colloquy/schema";

/** Any dialog, main or side: by its whole id, as it came from a list, a request or a database, or by its tree's and its own. */
export type DialogReference = string | DialogAddress;
