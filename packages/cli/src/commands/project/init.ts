import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { type Call, defineCommand } from "../../line/command.ts";
import { languageOf } from "../../line/language.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { modelChoices, preferredModel } from "../../project/model-choice.ts";
import { type NewProject, refuseProject } from "../../project/new-project.ts";
import { writeNewFiles } from "../../project/new-files.ts";
import { print } from "../../line/output.ts";
import { pathFrom } from "../../access/paths.ts";
import { library } from "../../dialogs/session.ts";
import { isFreshFolder, trustNewFolder } from "../../access/trust.ts";
import { type ChosenModel, isLanguage, isTemplate, projectFiles, SCRIPTED, templates } from "../../templates/project-files.ts";
import type { TeamTemplate } from "../../templates/team-template.ts";

export const init = defineCommand({
  words: ["[DIR]"],
  options: {
    template: {
      takes: "NAME",
      about: {
        en: "solo, pair (with a reviewer), support (lead and clerk) or sprint (feedback to tasks)",
        zh: "solo、pair（带审阅者）、support（负责人和文员）或 sprint（从反馈到任务）",
      },
    },
    model: {
      takes: "NAME",
      about: {
        en: 'such as "anthropic/claude-sonnet-5"; default: what your keys allow',
        zh: "如“anthropic/claude-sonnet-5”；默认：按已有的密钥选择",
      },
    },
    language: {
      takes: "LANGUAGE",
      about: {
        en: "en or zh: the language of the agents' instructions (default: the terminal's)",
        zh: "en 或 zh：智能体的说明所用的语言（默认：终端的语言）",
      },
    },
    yes: { short: "y", about: { en: "ask nothing", zh: "什么都不问" } },
  },
  about: {
    en:
      "Creates a project: colloquy.yaml, agents as files, and nothing else. In a terminal it asks for folder, model and team, and " +
      "can try the model with one small call; with --yes or in a pipe it takes the options and sensible defaults. It overwrites nothing.",
    zh: "创建项目：colloquy.yaml 和智能体文件，此外什么都不建。在终端中会询问文件夹、模型和团队，并可用一次小的调用试一试模型；加 --yes 或在管道中，则采用给出的选项和合理的默认值。不覆盖任何文件。",
  },
  examples: [
    ["colloquy init", { en: "asks", zh: "逐项询问" }],
    ["colloquy init shop --template support --yes", { en: "asks nothing", zh: "什么都不问" }],
  ],

  async run(call) {
    const { values, shell } = call;
    const { template = "solo", language = languageOf(call.shell.env) } = values;
    if (!isTemplate(template)) throw wrongUsage(`There is no template "${template}". There are ${Object.keys(templates).join(", ")}.`);
    if (!isLanguage(language)) throw wrongUsage(`--language is en or zh, not "${language}".`);
    const given = { dir: resolve(call.dir, call.words[0] ?? "."), template, language };
    refuseProject(given.dir, call);
    const isAsking = shell.canAsk && !values.yes && !call.json;
    const chosen = isAsking ? await askForSettings(call, given) : { ...given, model: await modelFor(call, given.dir) };
    if (!chosen) return ExitCode.refused;
    const isFresh = isFreshFolder(chosen.dir);
    await make(chosen);
    if (isFresh) await trustNewFolder(chosen.dir, shell);
    const files = Object.keys(projectFiles(chosen.template, chosen.language, chosen.model));
    print(call, { dir: chosen.dir, model: chosen.model.name, files }, () => madeText(call, chosen, files));
    return ExitCode.done;
  },
});

async function askForSettings(call: Call, given: Omit<NewProject, "model">): Promise<NewProject | undefined> {
  const { askForProject } = await import("../../access/ask-for-project.ts");
  const { values, words } = call;
  return askForProject(call, given, {
    dir: words.length > 0,
    template: values.template !== undefined,
    ...(typeof values.model === "string" && { model: { name: values.model } }),
  });
}

async function modelFor({ values, shell }: Call, dir: string): Promise<ChosenModel> {
  if (typeof values.model === "string") return { name: values.model };
  const { findModels } = await library();
  return preferredModel(modelChoices(await findModels(dir, shell.env)));
}

async function make({ dir, template, language, model }: NewProject): Promise<void> {
  await writeNewFiles(dir, projectFiles(template, language, model));
  // Keys and dialogs don't belong in a repository; an existing .gitignore is left alone.
  if (!existsSync(join(dir, ".gitignore"))) await writeNewFiles(dir, { ".gitignore": ".dialogs/\n.env\n" });
}

function madeText({ shell }: Call, { dir, template, language, model }: NewProject, files: readonly string[]): string {
  const { team, firstMessage, tries }: TeamTemplate = templates[template][language];
  const { bold, dim } = shell.out.colours;
  const shown = pathFrom(shell.cwd, dir, shell.env);
  const noKey = [
    "",
    "No key was found (ANTHROPIC_API_KEY, OPENAI_API_KEY, .env), and no model server on",
    "this machine: a script plays for now. Later set defaults.model in colloquy.yaml;",
    "colloquy models shows what is in reach.",
  ];
  const text = [
    `${bold(basename(dir))} is ready: ${team.join(" and ")}, with ${model.settings?.id ?? model.name}.`,
    ...files.map((file) => dim(`  ${file}`)),
    ...(model.name === SCRIPTED ? noKey : []),
    "",
    "Try:",
    ...(shown === "." ? [] : [`  cd ${shown}`]),
    ...(tries ?? [`colloquy new "${firstMessage}"`, "colloquy show @", "colloquy agents"]).map((line) => `  ${line}`),
  ];
  return `${text.join("\n")}\n`;
}
