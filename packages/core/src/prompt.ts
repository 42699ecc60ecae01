import type { Texts } from "./texts.ts";

/** An agent as its prompt needs it. */
export interface Member {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** What stands before the history, stable part first so that providers can cache it. */
export const promptHead = (member: Member, texts: Texts): readonly string[] => [
  `${texts.whoYouAre(member.name, member.id)}\n\n${member.role.trim()}`,
];
