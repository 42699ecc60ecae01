// A program over a running server: starts a dialog, prints its live text, and answers its question.
//   URL=http://127.0.0.1:5740 TOKEN=… node client.ts "Please decide"
import { connect } from "colloquy/client";

const { URL: url = "http://127.0.0.1:5740", TOKEN: token } = process.env;
const client = connect({ url, token });
client.state.subscribe(() => {
  const state = client.state.getSnapshot();
  if (state.status === "reconnecting") console.error(`away; ${client.unsent.getSnapshot().length} not sent; again in ${state.inMs} ms`);
  if (state.status === "refused") throw state.error;
});

// Sent again until it is answered; it takes effect once.
const { rootId } = await client.dialogs.create({ content: process.argv[2] ?? "Hello" });

// Every commit of the dialog from its first one, each once and in order. `client.tree(rootId)` is for pages that show its state.
const end = new AbortController();
for await (const { events } of client.follow(rootId, 0, end.signal)) {
  for (const { event } of events) {
    if (event.type === "question.asked") {
      const [first] = event.options ?? [];
      console.log(`? ${event.headline} → ${first?.label}`);
      await client.questions.answer(event.question, { choice: 0 });
    }
    if (event.type === "step.ended") for (const part of event.parts) if ("saying" in part) console.log(`${event.agent}: ${part.saying}`);
    if (event.type === "step.ended" && event.ends) end.abort();
  }
}
client.close();
