import type { queries, requests } from "@colloquy/schema";
import type { z } from "zod";
import { type Asked, projectOf } from "./context.ts";
import { signedBy } from "./dialogs.ts";

export function tasks(asked: Asked<z.output<typeof queries.TasksQuery>>) {
  const { status, kind, order, after, limit } = asked.query;
  const wanted = { ...(status && { status }), ...(kind && { kind }), ...(after !== undefined && { after }) };
  const { items, next } = projectOf(asked).project.tasks.page({ ...wanted, order, limit });
  return { tasks: items, ...(next !== undefined && { next }) };
}

export const readyTasks = (asked: Asked) => ({ tasks: projectOf(asked).project.tasks.ready() });

export const task = (asked: Asked) => projectOf(asked).project.tasks.get(asked.params.tid ?? "");

export const taskAutonomy = (asked: Asked) => projectOf(asked).project.tasks.autonomy(asked.params.tid ?? "");

export function createTask(asked: Asked<unknown, z.output<typeof requests.CreateTask>>) {
  const { msgId: _, ...wish } = asked.body;
  return projectOf(asked).project.tasks.create({ ...wish, ...signedBy(asked) });
}

export function changeTask(asked: Asked<unknown, z.output<typeof requests.ChangeTask>>) {
  const { msgId: _, ...change } = asked.body;
  return projectOf(asked).project.tasks.update(asked.params.tid ?? "", { ...change, ...signedBy(asked) });
}
