export type { BridgeProject, Creation } from "./bridge-project.ts";
export { eventStream } from "./event-stream.ts";
export { exchange, type Said } from "./exchange.ts";
export { firstContent, type Turn } from "./first-content.ts";
export { chosenIn, decidesHere, questionText } from "./question-text.ts";
