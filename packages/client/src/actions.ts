import type { answers, DialogRef, requests, RouteName, TaskView } from "@colloquy/schema";
import type { z } from "zod";
import type { Said } from "./api.ts";

type Body<Name extends keyof typeof requests> = (typeof requests)[Name] extends z.ZodType ? Said<(typeof requests)[Name]> : never;
type Done = z.infer<typeof answers.Done>;
type Params = Readonly<Record<string, string | number>>;

/** A dialog: a main one by its tree's id, or any of a tree. */
export type DialogPlace = string | Readonly<DialogRef>;

/** Sends a command by its route. Resolves with the server's answer. */
export type Give = <Answer>(route: RouteName, params: Params, body: object, traced?: Traced) => Promise<Answer>;

/** `trace`: a `traceparent`, the span that led to a command. The turn that it starts is linked to it. */
export interface Traced {
  readonly trace?: string | undefined;
}

/**
 * What people do in a project. Each method resolves when its command is durable, and throws `Refused`. A command that cannot be delivered now
 * is delivered, once, when the server is back; in a browser even after a reload of the page.
 */
export interface Actions extends ReturnType<typeof actionsOver> {}

export function actionsOver(give: Give) {
  const act = <Answer = Done>(route: RouteName, params: Params, body: object = {}, traced: Traced = {}) =>
    give<Answer>(route, params, body, traced);
  return {
    dialogs: {
      create: (body: Body<"CreateDialog">, traced: Traced = {}) => act<z.infer<typeof answers.Created>>("createDialog", {}, body, traced),
      send: (dialog: DialogPlace, message: string | Body<"SendMessage">, traced: Traced = {}) =>
        act("send", at(dialog), inWords(message), traced),
      rename: (dialog: DialogPlace, body: Body<"Rename">) => act("rename", at(dialog), body),
      stop: (dialog: DialogPlace, body: Body<"Stop"> = {}) => act("stop", at(dialog), body),
      resume: (dialog: DialogPlace, body: Body<"Plain"> = {}) => act("resume", at(dialog), body),
      done: (dialog: DialogPlace, body: Body<"Plain"> = {}) => act("done", at(dialog), body),
      archive: (dialog: DialogPlace, body: Body<"Plain"> = {}) => act("archive", at(dialog), body),
      delete: (dialog: DialogPlace, body: Body<"Plain"> = {}) => act<z.infer<typeof answers.Gone>>("deleteDialog", at(dialog), body),
      dead: (dialog: DialogPlace, body: Body<"Plain"> = {}) => act("dead", at(dialog), body),
      clearMind: (dialog: DialogPlace, body: Body<"ClearMind"> = {}) => act("clearMind", at(dialog), body),
      changeMind: (dialog: DialogPlace, body: Body<"ChangeMind">) => act("changeMind", at(dialog), body),
      setPhase: (dialog: DialogPlace, body: Body<"SetPhase">) => act("phase", at(dialog), body),
      addReminder: (dialog: DialogPlace, body: Body<"AddReminder">) => act("addReminder", at(dialog), body),
      changeReminder: (dialog: DialogPlace, rid: number, body: Body<"UpdateReminder">) =>
        act("updateReminder", { ...at(dialog), rid }, body),
      deleteReminder: (dialog: DialogPlace, rid: number, body: Body<"Plain"> = {}) => act("deleteReminder", { ...at(dialog), rid }, body),
      /** Copies its tree up to an event; with `answer`, as a what-if. */
      fork: (dialog: DialogPlace, body: Body<"Fork"> = {}) => act<z.infer<typeof answers.Copied>>("fork", at(dialog), body),
      /** Undoes what a command changed, by the id of its call: all of it or nothing. */
      undo: (cid: string, body: Body<"Plain"> = {}) => act<z.infer<typeof answers.Undone>>("undo", { cid }, body),
    },
    questions: {
      ask: (body: Body<"AskPeople">) => act<z.infer<typeof answers.AskedPeople>>("askPeople", {}, body),
      answer: (qid: string, body: string | Body<"Answering">) => act("answer", { qid }, inWords(body)),
      approve: (qid: string, body: Body<"Approving">) => act("approve", { qid }, body),
      deny: (qid: string, body: Body<"Denying">) => act("deny", { qid }, body),
      dismiss: (qid: string, body: Body<"Dismissing"> = {}) => act("dismiss", { qid }, body),
      askBack: (qid: string, body: string | Body<"AskingBack">) => act("askBack", { qid }, inWords(body)),
    },
    tasks: {
      create: (body: Body<"CreateTask">) => act<TaskView>("createTask", {}, body),
      update: (tid: string, body: Body<"ChangeTask">) => act<TaskView>("changeTask", { tid }, body),
    },
    notices: {
      dismiss: (nid: string) => act<z.infer<typeof answers.NotificationOutcome>>("patchNotification", { nid }, { dismissed: true }),
    },
    effects: {
      /** Says how a call with an unknown outcome ended. */
      settle: (cid: string, body: Body<"Settling">) => act("settle", { cid }, body),
    },
    grants: {
      revoke: (gid: string, body: Body<"Plain"> = {}) => act<z.infer<typeof answers.Gone>>("revokeGrant", { gid }, body),
    },
  };
}

const inWords = <Of extends object>(said: string | Of) => (typeof said === "string" ? { content: said } : said);

const at = (place: DialogPlace) => ({ id: typeof place === "string" ? place : (place.selfId ?? place.rootId) });
