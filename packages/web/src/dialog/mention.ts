/** A name that is being written at the start of a message, where it addresses; full-width `＠` counts too. */
export const mentionAt = (text: string): string | undefined => /^\s*[@＠]([\p{L}\p{N}_-]*)$/u.exec(text)?.[1];

export const withoutMention = (text: string): string => text.replace(/^\s*[@＠][\p{L}\p{N}_-]*/u, "");
