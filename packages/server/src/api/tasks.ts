import type { queries, requests } from "@colloquy/schema";
import type { z } from "zod";
import { type Asked, projectOf } from "./context.ts";
import { signedBy } from "./dialogs.ts";

export function tasks(asked: Asked<z.output<typeof queries.TasksQuery>>) {
  const { status, kind, after, limit } = asked.query;
  const all = projectOf(asked).project.tasks.list({ ...(status && { status }), ...(kind && { kind }) });
  const from = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const page = all.slice(from, from + limit);
  const last = from + limit < all.length ? page.at(-1)?.id : undefined;
  return { tasks: page, ...(last !== undefined && { next: last }) };
}

export const readyTasks = (asked: Asked) => ({ tasks: projectOf(asked).project.tasks.ready() });

export const task = (asked: Asked) => projectOf(asked).project.tasks.get(asked.params.tid ?? "");

export function createTask(asked: Asked<unknown, z.output<typeof requests.CreateTask>>) {
  const { msgId: _, ...wish } = asked.body;
  return projectOf(asked).project.tasks.create({ ...wish, ...signedBy(asked) });
}

export function changeTask(asked: Asked<unknown, z.output<typeof requests.ChangeTask>>) {
  const { msgId: _, ...change } = asked.body;
  return projectOf(asked).project.tasks.update(asked.params.tid ?? "", { ...change, ...signedBy(asked) });
}
