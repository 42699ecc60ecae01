import { z } from "zod";

/** "90s", "30m", "4h", "2d", in milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(?:s|m|h|d)$/, 'a time such as "30m" or "4h"')
  .transform(
    (text) => Number.parseInt(text, 10) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[text.at(-1) as "s" | "m" | "h" | "d"],
  );
