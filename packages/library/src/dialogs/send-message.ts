import type { Engine } from "@colloquy/runtime";
import { type Line, Refused, type TreeEvent } from "@colloquy/schema";
import { readImages } from "./images.ts";
import type { Message } from "./message.ts";
import type { DialogAddress } from "../open/dialog-address.ts";
import { seeDialog } from "./see-dialog.ts";
import { type Receipt, signature } from "./signed.ts";
import { requireText } from "./require-text.ts";

/** A person's words to a dialog. */
export async function sendMessage(
  engine: Engine,
  place: DialogAddress,
  { content, mentions, now, interrupt, images = [], sessionId, ...signed }: Message,
): Promise<Receipt> {
  const { rootId, selfId } = place;
  const { store } = engine.deps;
  const pictures = readImages(images);
  // A picture is there before the message that shows it; nobody can send one to a dialog that is not there.
  if (pictures.length > 0) await seeDialog(engine, place);
  for (const { image, data } of pictures) await store.putBlob(rootId, image.name, data);
  const outcome = await engine.command(rootId, {
    type: "send",
    dialog: selfId,
    ...signature(signed),
    content: requireText("content", content),
    ...(mentions && { mentions: [...mentions] }),
    ...(pictures.length > 0 && { images: pictures.map(({ image }) => image) }),
    ...(now && { now }),
    ...(interrupt && { interrupt }),
    ...(sessionId !== undefined && { sessionId }),
  });
  if (!outcome.ok) throw new Refused(outcome.refusal);
  // A repeated send gets the same receipt: by then it is in the log.
  const lines = outcome.events.length > 0 ? [outcome] : ((await store.read(rootId, outcome.seq - 1, 1)) as readonly Line<TreeEvent>[]);
  const ack = acknowledgementsIn(lines, outcome.seq);
  return { seq: outcome.seq, ...(ack.length > 0 && { ack: ack.join("\n") }) };
}

/** What the sender of a message was told because somebody was busy. */
export const acknowledgementsIn = (lines: readonly { readonly events: readonly TreeEvent[] }[], message: number): readonly string[] =>
  lines
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === "message.acknowledged" && event.message === message ? [event.text] : []));
