import type { NostrEvent } from "@colloquy/schema";
import { ARTICLE_KIND, MESSAGE_KIND, PROJECT_KIND } from "./kinds.ts";

type Tags = NostrEvent["tags"];

const HEX_64 = /^[0-9a-f]{64}$/;
const isId = (value: string | undefined): value is string => value !== undefined && HEX_64.test(value);

/** The first value of the first tag of this name. */
const first = (tags: Tags, name: string): string | undefined => tags.find(([one]) => one === name)?.[1];
const firstId = (tags: Tags, name: string): string | undefined => {
  const value = first(tags, name);
  return isId(value) ? value : undefined;
};

/** Where a conversation began: the event's id, its kind, and its author. */
export interface Root {
  readonly id: string;
  readonly kind: number;
  /** Unknown for a conversation that began where we do not look. */
  readonly pubkey: string | undefined;
}

/** What an event's tags say. */
export interface Read {
  readonly root: Root;
  readonly isRoot: boolean;
  /** The event that it answers. */
  readonly answers: string | undefined;
  /** The keys that it is addressed to, in order. */
  readonly to: readonly string[];
  readonly phase: string | undefined;
  readonly branch: string | undefined;
  /** Articles that it refers to, as `30023:PUBKEY:NAME`. */
  readonly articles: readonly string[];
}

export function readTags({ id, kind, pubkey, tags }: Pick<NostrEvent, "id" | "kind" | "pubkey" | "tags">): Read {
  const named = firstId(tags, "E");
  const rootKind = Number(first(tags, "K"));
  const root =
    named === undefined || named === id
      ? { id, kind, pubkey }
      : { id: named, kind: Number.isInteger(rootKind) && rootKind > 0 ? rootKind : MESSAGE_KIND, pubkey: firstId(tags, "P") };
  return {
    root,
    isRoot: root.id === id,
    answers: firstId(tags, "e"),
    to: [...new Set(tags.flatMap(([name, value]) => (name === "p" && isId(value) ? [value] : [])))],
    phase: first(tags, "phase"),
    branch: first(tags, "branch"),
    articles: [
      ...new Set(tags.flatMap(([name, value]) => (name === "a" && value?.startsWith(`${ARTICLE_KIND}:`) ? [value.slice(0, 300)] : []))),
    ],
  };
}

/** The event that an event of ours answers. */
export interface Parent {
  readonly id: string;
  readonly kind: number;
  readonly pubkey: string;
}

interface Reply {
  readonly root: Root;
  /** Absent for a question: it answers nothing, and must not pass for a completion. */
  readonly parent: Parent | undefined;
  /** Its author is addressed: for a delegation, this is the completion. */
  readonly isFinal: boolean;
  /** `31933:PUBKEY:D`. */
  readonly project: string | undefined;
}

/** Tags of an answer. Its first `e` is what it answers. */
export const replyTags = ({ root, parent, isFinal, project }: Reply): string[][] => [
  ...(isFinal && parent ? [["p", parent.pubkey]] : []),
  ["E", root.id],
  ["K", String(root.kind)],
  ...(root.pubkey === undefined ? [] : [["P", root.pubkey]]),
  ...(parent
    ? [
        ["e", parent.id],
        ["k", String(parent.kind)],
      ]
    : []),
  ...(project === undefined ? [] : [["a", project]]),
];

/** The address of a project's own event. */
export const projectAddress = (pubkey: string, d: string): string => `${PROJECT_KIND}:${pubkey}:${d}`;
