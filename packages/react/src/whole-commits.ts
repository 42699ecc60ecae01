import type { ServerPacket } from "@colloquy/schema";
import type { FeedListener } from "./event-feed.ts";

/** Of a tree's stream: what is recorded is handed on a commit at a time. */
export function wholeCommits(hear: (packet: ServerPacket) => void): Pick<FeedListener, "opened" | "packet"> {
  let draft: ServerPacket[] = [];
  return {
    // What a cut left of a commit comes again, whole.
    opened: () => (draft = []),
    packet: (packet) => {
      if (packet.type !== "recorded") return hear(packet);
      draft.push(packet);
      if (!packet.last) return;
      const commit = draft;
      draft = [];
      for (const one of commit) hear(one);
    },
  };
}
