import { z } from "zod";

/** The types that all providers accept. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** An image sent with a message. Its bytes are stored beside the log, under this name. */
export const Image = z.object({ name: z.string(), mediaType: z.enum(IMAGE_TYPES), bytes: z.number().int().positive() });
export type Image = z.infer<typeof Image>;
