/** Proxies and clients give up a stream that is silent for long; a dialog may think for minutes. */
const HEARTBEAT_MS = 15_000;

/** Server-sent events. A comment keeps the connection alive while nothing is said. `onError` makes the last event from an error. */
export function eventStream(events: AsyncGenerator<string>, onError: (error: unknown) => string): Response {
  const encoder = new TextEncoder();
  let beat: NodeJS.Timeout | undefined;
  let isOver = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      beat = setInterval(() => {
        if (!isOver) controller.enqueue(encoder.encode(": working\n\n"));
      }, HEARTBEAT_MS);
      beat.unref();
    },
    async pull(controller) {
      try {
        const { value, done } = await events.next();
        if (!done) return controller.enqueue(encoder.encode(value));
      } catch (error) {
        controller.enqueue(encoder.encode(onError(error)));
      }
      isOver = true;
      clearInterval(beat);
      controller.close();
    },
    async cancel() {
      isOver = true;
      clearInterval(beat);
      await events.return(undefined);
    },
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}
