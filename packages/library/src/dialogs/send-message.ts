import type { Commands, ProjectContext } from "@colloquy/runtime";
import { type Line, Refused, type TreeEvent } from "@colloquy/schema";
import { readImages } from "./images.ts";
import type { Message } from "./message.ts";
import type { DialogAddress } from "@colloquy/schema";
import { seeDialog } from "./see-dialog.ts";
import { type Receipt, signature } from "./signed.ts";
import { requireText } from "./require-text.ts";
import { traceParent } from "./trace-parent.ts";

/** Sends a person's message to a dialog. */
export async function sendMessage(
  { context, commands }: { readonly context: ProjectContext; readonly commands: Commands },
  place: DialogAddress,
  { content, mentions, now, interrupt, images = [], sessionId, trace, ...signed }: Message,
): Promise<Receipt> {
  const { rootId, selfId } = place;
  const { store } = context.deps;
  const pictures = readImages(images);
  // The image is stored before the message that shows it, but only for a dialog that exists.
  if (pictures.length > 0) await seeDialog(context, place);
  for (const { image, data } of pictures) await store.putBlob(rootId, image.name, data);
  const outcome = await commands.give(rootId, {
    type: "send",
    dialog: selfId,
    ...signature(signed),
    content: requireText("content", content),
    ...(mentions && { mentions: [...mentions] }),
    ...(pictures.length > 0 && { images: pictures.map(({ image }) => image) }),
    ...(now && { now }),
    ...(interrupt && { interrupt }),
    ...(sessionId !== undefined && { sessionId }),
    ...traceParent(trace),
  });
  if (!outcome.ok) throw new Refused(outcome.refusal);
  // A repeated send gets the same receipt: by then it is in the log.
  const lines = outcome.events.length > 0 ? [outcome] : ((await store.read(rootId, outcome.seq - 1, 1)) as readonly Line<TreeEvent>[]);
  const ack = acknowledgementsIn(lines, outcome.seq);
  return { seq: outcome.seq, ...(ack.length > 0 && { ack: ack.join("\n") }) };
}

/** The busy replies to a message. */
export const acknowledgementsIn = (lines: readonly { readonly events: readonly TreeEvent[] }[], message: number): readonly string[] =>
  lines
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === "message.acknowledged" && event.message === message ? [event.text] : []));
