export { answerSchema } from "./answer-schema.ts";
export type { BridgeProject, Creation } from "./bridge-project.ts";
export { eventStream } from "./event-stream.ts";
export { exchange, untilIdle } from "./exchange.ts";
export { firstContent, type Turn } from "./first-content.ts";
export { chosenIn, decidedByAnswer, decidesHere, questionText } from "./question-text.ts";
export { type Said, Teller } from "./teller.ts";
