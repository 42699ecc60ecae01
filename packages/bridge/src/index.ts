export type { BridgeProject, Creation } from "./bridge-project.ts";
export { exchange } from "./exchange.ts";
export { chosenIn, decidesHere, questionText } from "./question-text.ts";
