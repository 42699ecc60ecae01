import { createHash } from "node:crypto";

/** As in `colloquy.yaml`. A token is random enough that a plain hash reveals nothing. */
export const tokenHash = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
