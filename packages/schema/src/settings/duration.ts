import { z } from "zod";
import { readDuration } from "../text/read-duration.ts";

/** "90s", "30m", "4h", "2d", in milliseconds. */
export const duration = z
  .string()
  .regex(/^\d+(?:s|m|h|d)$/, 'a time such as "30m" or "4h"')
  .transform((text) => readDuration(text) ?? 0);
