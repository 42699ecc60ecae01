export { a2a, teamCard } from "./a2a.ts";
export { type PushEntry, PushOutbox } from "./push-outbox.ts";
export { placeOf } from "./rest.ts";
export { PROTOCOL } from "./task-ref.ts";
