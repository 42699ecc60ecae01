import { z } from "zod";

/** What all providers read. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** A picture that came with a message. Its bytes are kept beside the log, under this name. */
export const Image = z.object({ name: z.string(), mediaType: z.enum(IMAGE_TYPES), bytes: z.number().int().positive() });
export type Image = z.infer<typeof Image>;
