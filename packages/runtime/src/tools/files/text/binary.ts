/** Text has no zero bytes; nearly everything else has one early on. */
export const looksBinary = (bytes: Buffer): boolean => bytes.includes(0);
