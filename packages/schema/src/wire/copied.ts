import { z } from "zod";
import { RootId } from "../ids.ts";

/** It is a copy of that tree: every event before `seq` is from there. */
export const Copied = z.strictObject({ as: z.enum(["fork", "import"]), from: RootId, seq: z.number().int().positive() });
