// Thirty lines over the WebSocket: a new dialog, its events as they come, and an answer to the question that it asks.
//   URL=http://127.0.0.1:5740 TOKEN=… node client.ts "Please decide"
const { URL = "http://127.0.0.1:5740", TOKEN = "" } = process.env;
let cursor = 0; // the last commit received: after a disconnect, resume from here

function connect(rootId?: string): void {
  const socket = new WebSocket(`${URL.replace("http", "ws")}/ws`, ["colloquy", `colloquy.${TOKEN}`]);
  const send = (packet: object) => socket.send(JSON.stringify({ requestId: crypto.randomUUID(), ...packet }));

  socket.onmessage = ({ data }) => {
    const packet = JSON.parse(String(data));
    if (packet.type === "welcome" && rootId) send({ type: "subscribe", dialog: { rootId }, after: cursor });
    else if (packet.type === "welcome")
      send({ type: "create_dialog", content: process.argv[2] ?? "Hello", msgId: `example-${process.pid}` });
    else if (packet.type === "accepted" && packet.dialog) {
      ({ rootId } = packet.dialog);
      send({ type: "subscribe", dialog: { rootId }, after: 0 });
    } else if (packet.type === "refused") console.error(packet.code, packet.message);
    else if (packet.type === "recorded") {
      const { event, seq, last } = packet;
      if (event.type === "question.asked") {
        console.log(`? ${event.headline} → ${event.options?.[0]?.label}`);
        send({
          type: "drive_dialog_by_user_answer",
          questionId: event.question,
          continuationType: "answer",
          choice: 0,
          msgId: event.question,
        });
      }
      for (const part of event.parts ?? []) if (part.saying) console.log(`${event.agent}: ${part.saying}`);
      if (last) cursor = seq;
      if (event.ends) process.exit();
    }
  };
  socket.onclose = () => setTimeout(() => connect(rootId), 1_000);
}
connect();
