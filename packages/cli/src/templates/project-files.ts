import { pair } from "./pair.ts";
import { solo } from "./solo.ts";
import { sprint } from "./sprint.ts";
import { starterScript } from "./starter-script.ts";
import { support } from "./support.ts";
import type { Language, TeamTemplate } from "./team-template.ts";

export const templates = { solo, pair, support, sprint } as const;
export type TemplateName = keyof typeof templates;

export const isTemplate = (name: string): name is TemplateName => Object.hasOwn(templates, name);
export const isLanguage = (name: string): name is Language => name === "en" || name === "zh";

/** The model of a new project; with its settings if it isn't known by `provider/id`. */
export interface ChosenModel {
  readonly name: string;
  readonly settings?: { readonly provider: "openai-compatible"; readonly baseURL: string; readonly id: string };
}

export const SCRIPTED = "scripted/demo";

/** All files of a new project, by path. */
export function projectFiles(template: TemplateName, language: Language, model: ChosenModel): Readonly<Record<string, string>> {
  const team: TeamTemplate = templates[template][language];
  return {
    "colloquy.yaml": settingsFile(team, language, model),
    ...team.files,
    ...(model.name === SCRIPTED && { "scripts/demo.yaml": team.script ?? starterScript(language) }),
  };
}

interface Remarks {
  readonly head: string;
  readonly models: string;
  readonly defaults: string;
  readonly agents: string;
  readonly limits: string;
}

const remarks: Readonly<Record<Language, Remarks>> = {
  en: {
    head: "The team and its settings. Changes count from an agent's next step on.",
    models: "Models under names of your own. Keys come from the environment or .env, never from here.",
    defaults: 'The model of every agent that names none: "anthropic/…", "openai/…", "scripted/…" or a name from models.',
    agents: "The team. An agent can also be a file: agents/<id>.md, with these fields on top and the role below.",
    limits: "What reaches one of these waits and asks you how much more; see colloquy questions. In dollars: costPerTree.",
  },
  zh: {
    head: "团队及其设置。更改从智能体的下一步起生效。",
    models: "自定名称的模型。密钥来自环境变量或 .env，绝不写在这里。",
    defaults: "未指定模型的智能体使用的模型：anthropic/…、openai/…、scripted/… 或 models 中的名称。",
    agents: "团队。智能体也可以是文件：agents/<id>.md，上方是这些字段，下方是角色说明。",
    limits: "达到其中一项时会停下来问你再给多少；见 colloquy questions。以美元计：costPerTree。",
  },
};

function settingsFile(team: TeamTemplate, language: Language, model: ChosenModel): string {
  const words = remarks[language];
  const example = '#  main: { provider: openai-compatible, baseURL: "http://127.0.0.1:8080/v1", id: some-model, apiKeyEnv: MY_KEY }';
  const models = model.settings ? `models:\n  ${model.name}: ${inline(model.settings)}` : `#models:\n${example}`;
  const agents = team.agents === "" ? `# ${team.team.map((id) => `agents/${id}.md`).join(", ")}\n` : `agents:\n${team.agents}`;
  return `# ${words.head}
language: ${language}

# ${words.models}
${models}

# ${words.defaults}
defaults: { model: ${JSON.stringify(model.name)} }

# ${words.agents}
${agents}
# ${words.limits}
limits: { stepsPerTurn: 200, tokensPerTree: 5000000 }
`;
}

const inline = (value: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(value)
    .map(([key, text]) => `${key}: ${JSON.stringify(text)}`)
    .join(", ")} }`;
