/** Text has no zero bytes; nearly everything else does, soon. */
export const looksBinary = (bytes: Buffer): boolean => bytes.includes(0);
