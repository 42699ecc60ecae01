import { createHash } from "node:crypto";
import type { Picture } from "@colloquy/runtime";
import { IMAGE_TYPES, type ImageType, Refused } from "@colloquy/schema";

/** The limit of the strictest provider. */
const MAX_IMAGES = 20;
const MAX_BYTES = 5_000_000;

/** Identified by the first bytes, because a file's name may be wrong. */
const SIGNS: readonly (readonly [ImageType, RegExp])[] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/** The image's type; undefined if not every provider can read it. */
export function imageTypeOf(data: Uint8Array): ImageType | undefined {
  const head = Buffer.from(data.subarray(0, 12)).toString("latin1");
  return SIGNS.find(([, sign]) => sign.test(head))?.[0];
}

/** Images are named by their content, so sending one again changes nothing. */
export function readImages(pictures: readonly Uint8Array[]): readonly Picture[] {
  if (pictures.length > MAX_IMAGES) throw refused(`A message takes at most ${MAX_IMAGES} images, not ${pictures.length}.`);
  return pictures.map((data) => {
    const mediaType = imageTypeOf(data);
    if (mediaType === undefined) throw refused(`That is not an image. Valid types: ${IMAGE_TYPES.join(", ")}.`);
    if (data.length > MAX_BYTES) throw refused(`An image has at most ${MAX_BYTES} bytes, not ${data.length}.`);
    const name = `${createHash("sha256").update(data).digest("hex").slice(0, 32)}.${mediaType.slice("image/".length)}`;
    return { image: { name, mediaType, bytes: data.length }, data };
  });
}

const refused = (message: string): Refused => new Refused({ code: "bad_request", message });
