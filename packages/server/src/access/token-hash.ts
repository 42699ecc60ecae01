import { createHash } from "node:crypto";

/** As it stands in `colloquy.yaml`: a token has so much chance in it that a plain hash tells nothing of it. */
export const tokenHash = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex")}`;
