import { type AgentId, derivedId, type BuiltinInput, type TaskId } from "@colloquy/schema";
import type { Refusing } from "../asks/ask.ts";
import type { CallDecision } from "../step/step-decision.ts";
import type { Rules } from "../prompt/rules.ts";
import { decideNewTask, decidePlan, decideTaskChange, findTask } from "../tasks/decide-task.ts";
import { applyToTasks, isAskedAbout, isTaskEvent, type Tasks } from "../tasks/task.ts";
import { endCall } from "./end-call.ts";
import type { ParsedCall } from "./parsed-call.ts";

/** Tasks belong to the project. They are created in the commit of the step that asks for them. */
export function taskCall(
  { draft, ref, rules }: CallDecision,
  parsed: Extract<ParsedCall, { tool: "create_task" | "update_task" | "create_plan" }>,
): Refusing {
  const { task } = draft.tree;
  if (parsed.tool !== "update_task" && isAskedAbout(draft.tree)) return rules.texts.askedFirst(parsed.tool);
  const tasks = draft.project.reduce((all, event) => (isTaskEvent(event) ? applyToTasks(all, event, draft.at) : all), rules.tasks());
  const refusing = parsed.tool === "update_task" ? begun(tasks, parsed.input, task?.id, rules) : undefined;
  if (refusing !== undefined) return refusing;
  const wish = { by: ref.agent, from: task?.id };
  // An agent's call is identified by its step, so it never arrives twice.
  const known = { tasks, receipts: { get: () => undefined, has: () => false } };
  const decision =
    parsed.tool === "create_task"
      ? decideNewTask(known, parsed.input, { ...wish, id: derivedId(ref.call, 1) })
      : parsed.tool === "create_plan"
        ? decidePlan(tasks, parsed.input.tasks, (nth) => derivedId(ref.call, nth + 1), wish)
        : changeTask(known, parsed.input, wish);
  if (!decision.ok) return decision.refusal.message;
  draft.project.push(...decision.events);
  const { texts } = rules;
  const planned = decision.events.flatMap((event) => (event.type === "task.created" ? [{ key: event.key ?? "", id: event.task }] : []));
  const said = { create_task: texts.taskMade, update_task: texts.taskChanged, create_plan: () => texts.planMade(planned) }[parsed.tool];
  return endCall(draft, ref, said(decision.id));
}

const changeTask = (
  known: Parameters<typeof decideTaskChange>[0],
  { task, ...change }: BuiltinInput<"update_task">,
  signed: { readonly by: AgentId },
) => decideTaskChange(known, task, change, signed);

/** Only the agent's report or a person ends a task that has begun, because its dialog ends with it. */
function begun(tasks: Tasks, { task: typed, close }: BuiltinInput<"update_task">, own: TaskId | undefined, rules: Rules): Refusing {
  const task = close === undefined ? "none" : findTask(tasks, typed);
  if (typeof task === "string" || task.dialog === undefined || task.closed) return undefined;
  return task.id === own
    ? rules.texts.closeByEnding
    : rules.texts.closeByPerson(task.id, task.assignee && rules.team.nameOf(task.assignee));
}
