import type { DialogId, RootId } from "@colloquy/schema";
import type { Hub } from "../live/hub.ts";
import { LOW_BUFFERED_BYTES, type Outlet } from "../live/outlet.ts";
import { demandWhole, Problem } from "./problem.ts";
import type { ServedProject } from "../served-project.ts";

/** Proxies close what is silent for long. */
const HEARTBEAT_MS = 15_000;

/** A tree's stream, the same as a subscription over a socket: for whoever has no WebSocket. */
export async function treeStream(
  { hub, project }: ServedProject,
  { rootId, selfId }: { readonly rootId: RootId; readonly selfId: DialogId },
  request: Request,
  after: number | undefined,
): Promise<Response> {
  demandWhole(project.dialogs, rootId);
  const seq = await project.dialogs.head({ rootId, selfId });
  const from = lastEventId(request) ?? after ?? seq;
  if (from > seq) throw new Problem("bad_request", `The log ends at ${seq}; nothing can be read after ${from}.`);
  const isMain = (selfId as string) === (rootId as string);
  return eventStream(hub, (outlet) => hub.watchTree(rootId, isMain ? undefined : selfId, from, outlet));
}

/** What concerns the whole project, in the same way. */
export function projectStream({ hub }: ServedProject, request: Request, after: number | undefined): Response {
  const from = lastEventId(request) ?? after ?? hub.pos;
  if (from > hub.pos) throw new Problem("bad_request", `The project is at ${hub.pos}; nothing can be read after ${from}.`);
  hub.demand(from);
  return eventStream(hub, (outlet) => hub.watchProject(from, outlet));
}

function lastEventId(request: Request): number | undefined {
  const last = request.headers.get("last-event-id");
  if (last === null) return undefined;
  if (!/^\d{1,15}$/.test(last)) throw new Problem("bad_request", `Last-Event-ID: a number, not "${last.slice(0, 40)}".`);
  return Number(last);
}

/** Frames as server-sent events, for as long as the other side reads. */
function eventStream(hub: Hub, watch: (outlet: Outlet) => () => void): Response {
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
        hub.streams.add(close);
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
