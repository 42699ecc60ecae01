import { type answers, newMsgId, type requests } from "@colloquy/schema";
import { useMemo } from "react";
import type { z } from "zod";
import { type Door, Refusal } from "./door.ts";
import { useDoor } from "./provider.ts";
import { projectPath, useProjectId } from "./use-project.ts";

/** What is said in a request. Without a `msgId` one is made. */
type Said<Name extends keyof typeof requests> =
  (typeof requests)[Name] extends z.ZodType<unknown, infer Input> ? Omit<Input, "msgId"> & { readonly msgId?: string } : never;
type Done = z.infer<typeof answers.Done>;

/**
 * What people do. Each resolves when it is durable, and throws a `Refusal`. What cannot be delivered now is delivered, once, when the
 * server is back.
 */
export interface Actions {
  readonly dialogs: {
    readonly create: (body: Said<"CreateDialog">) => Promise<z.infer<typeof answers.Created>>;
    readonly send: (dialogId: string, message: string | Said<"SendMessage">) => Promise<Done>;
    readonly stop: (dialogId: string, body?: Said<"Stop">) => Promise<Done>;
    readonly resume: (dialogId: string) => Promise<Done>;
    readonly done: (dialogId: string) => Promise<Done>;
    readonly archive: (dialogId: string) => Promise<Done>;
    /** Puts back what a command changed, by the id of its call: all of it, or nothing. */
    readonly undo: (callId: string) => Promise<z.infer<typeof answers.Undone>>;
  };
  readonly questions: {
    readonly answer: (questionId: string, body: string | Said<"Answering">) => Promise<Done>;
    readonly approve: (questionId: string, body: Said<"Approving">) => Promise<Done>;
    readonly deny: (questionId: string, body: Said<"Denying">) => Promise<Done>;
    readonly dismiss: (questionId: string, body?: Said<"Dismissing">) => Promise<Done>;
    readonly askBack: (questionId: string, content: string) => Promise<Done>;
  };
}

/** What can be done in a project. Without a project: in the only one that is served. */
export function useActions(projectId?: string): Actions {
  const door = useDoor();
  const chosen = useProjectId(projectId);
  return useMemo(() => actionsIn(door, chosen), [door, chosen]);
}

function actionsIn(door: Door, projectId: string): Actions {
  const post = async <Answer>(path: string, body: object = {}): Promise<Answer> => {
    const known = projectId === "" ? await onlyProject(door) : projectId;
    return door.change<Answer>("POST", projectPath(known) + path, { msgId: newMsgId(), ...body });
  };
  const dialog = (id: string) => `/dialogs/${encodeURIComponent(id)}`;
  const question = (id: string) => `/questions/${encodeURIComponent(id)}`;
  const inWords = <Body extends object>(said: string | Body) => (typeof said === "string" ? { content: said } : said);
  return {
    dialogs: {
      create: (body) => post("/dialogs", body),
      send: (id, message) => post(`${dialog(id)}/messages`, inWords(message)),
      stop: (id, body) => post(`${dialog(id)}/stop`, body),
      resume: (id) => post(`${dialog(id)}/resume`),
      done: (id) => post(`${dialog(id)}/done`),
      archive: (id) => post(`${dialog(id)}/archive`),
      undo: (id) => post(`/calls/${encodeURIComponent(id)}/undo`),
    },
    questions: {
      answer: (id, body) => post(`${question(id)}/answer`, inWords(body)),
      approve: (id, body) => post(`${question(id)}/approve`, body),
      deny: (id, body) => post(`${question(id)}/deny`, body),
      dismiss: (id, body) => post(`${question(id)}/dismiss`, body),
      askBack: (id, content) => post(`${question(id)}/ask-back`, { content }),
    },
  };
}

/** Somebody acts before the list of projects has come, or where it holds several. */
async function onlyProject(door: Door): Promise<string> {
  const rows = await door.read<readonly { readonly id: string }[]>("/projects");
  const [only, ...others] = rows;
  if (only && others.length === 0) return only.id;
  throw new Refusal(
    only ? "bad_request" : "not_found",
    only ? `Several projects are served; name one: ${rows.map(({ id }) => id).join(", ")}.` : "No project is served.",
  );
}
