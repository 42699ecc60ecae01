import { resolve } from "node:path";
import * as prompts from "@clack/prompts";
import type { Call } from "../line/command.ts";
import { type ModelChoice, modelChoices } from "../project/model-choice.ts";
import { type NewProject, refuseProject } from "../project/new-project.ts";
import { homePath } from "./paths.ts";
import { library } from "../dialogs/session.ts";
import { type ChosenModel, SCRIPTED, templates, type TemplateName } from "../templates/project-files.ts";

/** Answers already given by options. */
export interface Known {
  readonly dir: boolean;
  readonly template: boolean;
  readonly model?: ChosenModel;
}

/** Asks for folder, model and team. Undefined if the person cancels: nothing is created. */
export async function askForProject(call: Call, given: Omit<NewProject, "model">, known: Known): Promise<NewProject | undefined> {
  prompts.intro("A new project");
  try {
    const dir = known.dir ? given.dir : await askForFolder(call, given.dir);
    const model = known.model ?? (await askForModel(call, dir));
    const template = known.template ? given.template : await askForTemplate(given);
    prompts.outro(`${homePath(dir, call.shell.env)}: ${template}, ${model.name}`);
    return { ...given, dir, model, template };
  } catch (error) {
    if (!(error instanceof Cancelled)) throw error;
    prompts.cancel("Nothing was made.");
    return undefined;
  }
}

class Cancelled extends Error {}

async function answered<Answer>(asked: Promise<Answer>): Promise<Exclude<Answer, symbol>> {
  const answer = await asked;
  if (prompts.isCancel(answer)) throw new Cancelled();
  return answer as Exclude<Answer, symbol>;
}

async function askForFolder(call: Call, dir: string): Promise<string> {
  const shown = homePath(dir, call.shell.env);
  const typed = await answered(prompts.text({ message: "Which folder?", placeholder: shown, defaultValue: dir, initialValue: "" }));
  const chosen = resolve(call.dir, typed.replace(/^~(?=\/|$)/, call.shell.env.HOME ?? "~"));
  refuseProject(chosen, call);
  return chosen;
}

async function askForModel(call: Call, dir: string): Promise<ChosenModel> {
  const { findModels } = await library();
  const found = await findModels(dir, call.shell.env);
  const missing = found.keys.filter(({ isSet }) => !isSet).map(({ env }) => env);
  if (missing.length > 0) prompts.log.info(`Not set: ${missing.join(", ")}. A key in the environment or in .env adds more models here.`);
  const choices = modelChoices(found);
  for (;;) {
    const model = await chooseModel(choices);
    if (model.name === SCRIPTED || (await isGood(call, dir, model)))
      return { name: model.name, ...(model.settings && { settings: model.settings }) };
  }
}

async function chooseModel(choices: readonly ModelChoice[]): Promise<ChosenModel> {
  const options = choices.map((choice, nth) => ({ value: String(nth), label: choice.settings?.id ?? choice.name, hint: choice.hint }));
  const other = { value: "other", label: "another one", hint: "by name, such as anthropic/claude-opus-5" };
  const picked = await answered(prompts.select({ message: "Which model?", options: [...options, other] }));
  const choice = choices[Number(picked)];
  if (choice) return choice;
  return {
    name: await answered(
      prompts.text({
        message: "Its name",
        placeholder: "provider/model",
        validate: (text) => (/^\w[\w-]*\/./.test(text ?? "") ? undefined : "provider/model, please"),
      }),
    ),
  };
}

/** One real call, if the person agrees; a model that fails may still be kept. */
async function isGood(call: Call, dir: string, model: ChosenModel): Promise<boolean> {
  const isWanted = await answered(prompts.confirm({ message: "Try it with one small call?" }));
  if (!isWanted) return true;
  const { tryModel } = await library();
  const spinner = prompts.spinner();
  spinner.start("Asking it");
  const { env, interrupts } = call.shell;
  const models = model.settings ? { [model.name]: model.settings } : {};
  const result = await tryModel(dir, env, model.name, { signal: interrupts.signal, models }).catch((error: unknown) => ({
    ok: false,
    message: error instanceof Error ? error.message : String(error),
  }));
  if (result.ok) spinner.stop(result.message);
  else spinner.error(result.message);
  return result.ok || answered(prompts.confirm({ message: "Use it anyway?", initialValue: false }));
}

function askForTemplate({ template, language }: Omit<NewProject, "model">): Promise<TemplateName> {
  const names = Object.keys(templates) as TemplateName[];
  const options = names.map((name) => ({ value: name, label: name, hint: templates[name][language].about }));
  return answered(prompts.select({ message: "Which team?", options, initialValue: template }));
}
