import { type DialogAddress, isMain, Refused } from "@colloquy/schema";
import type { Hub } from "../live/hub.ts";
import { LOW_BUFFERED_BYTES, type Outlet } from "../live/outlet.ts";
import { demandWhole } from "./problem.ts";
import type { ServedProject } from "../served-project.ts";

/** Keeps proxies from closing an idle stream. */
const HEARTBEAT_MS = 15_000;

/** A stream's reader and starting position. */
export interface StreamReader {
  readonly request: Request;
  readonly after: number | undefined;
  /** False once their access has ended. */
  readonly mayRead: () => boolean;
}

/** A tree's stream for clients without a WebSocket; the same content as a subscription over a socket. */
export async function treeStream(
  { hub, project }: ServedProject,
  address: DialogAddress,
  { request, after, mayRead }: StreamReader,
): Promise<Response> {
  const { rootId, selfId } = address;
  demandWhole(project.dialogs, rootId);
  const seq = await project.dialogs.head(address);
  const from = lastEventId(request) ?? after ?? seq;
  if (from > seq) throw new Refused({ code: "bad_request", message: `The log ends at ${seq}; nothing can be read after ${from}.` });
  return eventStream(hub, mayRead, (outlet) => hub.watchTree(rootId, isMain(address) ? undefined : selfId, from, outlet));
}

/** The same for events of the whole project. */
export function projectStream({ hub }: ServedProject, { request, after, mayRead }: StreamReader): Response {
  const from = lastEventId(request) ?? after ?? hub.pos;
  if (from > hub.pos)
    throw new Refused({ code: "bad_request", message: `The project is at ${hub.pos}; nothing can be read after ${from}.` });
  hub.demand(from);
  return eventStream(hub, mayRead, (outlet) => hub.watchProject(from, outlet));
}

function lastEventId(request: Request): number | undefined {
  const last = request.headers.get("last-event-id");
  if (last === null) return undefined;
  if (!/^\d{1,15}$/.test(last)) throw new Refused({ code: "bad_request", message: `Last-Event-ID: a number, not "${last.slice(0, 40)}".` });
  return Number(last);
}

/** Sends frames as server-sent events until the client disconnects. */
function eventStream(hub: Hub, mayRead: () => boolean, watch: (outlet: Outlet) => () => void): Response {
  let end = () => {};
  let drained = () => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const close = () => {
          if (!outlet.isOpen) return;
          outlet.isOpen = false;
          end();
          drained();
          controller.close();
        };
        const outlet: { -readonly [Key in keyof Outlet]: Outlet[Key] } = {
          format: "sse",
          isOpen: true,
          get buffered() {
            return LOW_BUFFERED_BYTES - (controller.desiredSize ?? 0);
          },
          write: (frames: Buffer) => controller.enqueue(frames),
          drained: () => new Promise<void>((go) => (drained = go)),
          cut: close,
        };
        controller.enqueue(Buffer.from("retry: 1000\n\n"));
        let callOff = () => {};
        const beat = () => {
          if (outlet.isOpen) outlet.write(Buffer.from(":\n\n"));
          callOff = hub.later(HEARTBEAT_MS, beat);
        };
        callOff = hub.later(HEARTBEAT_MS, beat);
        const stop = watch(outlet);
        end = () => {
          outlet.isOpen = false;
          callOff();
          stop();
          hub.streams.delete(close);
        };
        hub.streams.set(close, mayRead);
      },
      pull: () => drained(),
      cancel: () => {
        end();
        drained();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: LOW_BUFFERED_BYTES }),
  );
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}
