// A program over a running server: a new dialog, what is said as it is said, and an answer to the question that it asks.
//   URL=http://127.0.0.1:5740 TOKEN=… node client.ts "Please decide"
import { connect } from "colloquy/client";

const { URL: url = "http://127.0.0.1:5740", TOKEN: token } = process.env;
const client = connect({ url, token });
client.state.subscribe(() => {
  const state = client.state.getSnapshot();
  if (state.status === "reconnecting") console.error(`away; ${state.waiting.length} not sent; again in ${state.inMs} ms`);
  if (state.status === "refused") throw state.error;
});

// Kept until it is acknowledged, over as many connections as that takes.
const { rootId } = await client.dialogs.create({ content: process.argv[2] ?? "Hello" });

const tree = client.tree(rootId);
let shown = 0;
tree.subscribe(() => {
  const { events } = tree.getSnapshot();
  const news = events.slice(shown);
  shown = events.length;
  for (const { event } of news) {
    if (event.type === "question.asked") {
      const [first] = event.options ?? [];
      console.log(`? ${event.headline} → ${first?.label}`);
      client.questions.answer(event.question, { choice: 0 }).catch((error: unknown) => console.error(error));
    }
    if (event.type === "step.ended") for (const part of event.parts) if ("saying" in part) console.log(`${event.agent}: ${part.saying}`);
    if (event.type === "step.ended" && event.ends) client.close();
  }
});
