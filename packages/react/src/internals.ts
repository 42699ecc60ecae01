// What the hooks are made of, for tests of Colloquy itself.
export { EventFeed, type FeedListener } from "./event-feed.ts";
export { wholeCommits } from "./whole-commits.ts";
