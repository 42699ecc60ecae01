// What the hooks are made of, for tests of Colloquy itself.
export { EventFeed } from "./event-feed.ts";
export { wholeCommits } from "./whole-commits.ts";
