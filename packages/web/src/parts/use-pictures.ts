import { type ClipboardEvent, type DragEvent, useState } from "react";

/** A picture to be sent with a message. */
export interface Chosen {
  readonly name: string;
  /** An address at which this page can show it. */
  readonly address: string;
  readonly base64: string;
}

const TYPES = /^image\/(?:png|jpeg|gif|webp)$/;
/** Larger than models can see or the server accepts. */
const MAX_BYTES = 1_500_000;
const MAX_PX = 2_000;

/** Small pictures are sent unchanged; larger ones are scaled down. */
async function read(file: File): Promise<Chosen> {
  const small = file.size <= MAX_BYTES ? file : await smaller(file);
  const bytes = new Uint8Array(await small.arrayBuffer());
  let text = "";
  // In chunks, because a call can't take one argument per byte of a picture.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  const base64 = btoa(text);
  return { name: file.name, base64, address: `data:${small.type};base64,${base64}` };
}

async function smaller(file: File): Promise<Blob> {
  const picture = await createImageBitmap(file);
  const share = Math.min(1, MAX_PX / Math.max(picture.width, picture.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(picture.width * share);
  canvas.height = Math.round(picture.height * share);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(`${file.name} cannot be read.`))), "image/jpeg", 0.85),
  );
}

/** Pictures that were pasted, dropped or chosen, until they are sent. */
export function usePictures(onProblem: (message: string) => void) {
  const [pictures, setPictures] = useState<readonly Chosen[]>([]);
  const add = (files: Iterable<File>): boolean => {
    const images = [...files].filter(({ type }) => TYPES.test(type));
    if (images.length === 0) return false;
    Promise.all(images.map(read))
      .then((read) => setPictures((before) => [...before, ...read]))
      .catch((error: unknown) => onProblem(error instanceof Error ? error.message : String(error)));
    return true;
  };
  return {
    pictures,
    add,
    remove: (picture: Chosen) => setPictures((before) => before.filter((one) => one !== picture)),
    clear: () => setPictures([]),
    /** The pictures in the form that commands take. */
    body: pictures.length > 0 ? { images: pictures.map(({ base64 }) => base64) } : {},
    /** Handlers for the message field. */
    handlers: {
      onPaste: (event: ClipboardEvent) => {
        if (add(event.clipboardData.files)) event.preventDefault();
      },
      onDragOver: (event: DragEvent) => event.preventDefault(),
      onDrop: (event: DragEvent) => {
        if (add(event.dataTransfer.files)) event.preventDefault();
      },
    },
  };
}
