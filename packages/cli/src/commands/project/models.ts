import type { ModelsView, TeamModel } from "@colloquy/library";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { demandTrust } from "../../access/trust.ts";
import { type Column, table } from "../../terminal/table.ts";
import { span } from "../../terminal/time.ts";
import { visible } from "../../terminal/visible.ts";
import { wrap } from "../../terminal/width.ts";

export const models = defineCommand({
  words: ["[test]", "[NAME]"],
  options: {},
  about: {
    en:
      "The models that the team uses or colloquy.yaml names: price per million tokens, and whether the key is set. " +
      "models test NAME makes one small real call. Keys come from the environment or .env and are never shown.",
    zh: "团队使用的或 colloquy.yaml 中列出的模型：每百万词元的价格，以及密钥是否已设置。models test NAME 会作一次小的真实调用。密钥来自环境变量或 .env，从不显示。",
  },
  examples: [
    ["colloquy models", { en: "which are there, and what is missing", zh: "有哪些，缺什么" }],
    ["colloquy models test anthropic/claude-sonnet-5", { en: "does it answer, and can it call tools?", zh: "能否答复，能否调用工具？" }],
  ],

  async run(call) {
    const { words } = call;
    const [verb, name] = words;
    if (verb === "test" && name !== undefined) return test(call, name);
    if (verb !== undefined) throw wrongUsage("Usage: colloquy models, or colloquy models test NAME");
    const { describeModels } = await library();
    const view = await describeModels(await projectDir(call), call.shell.env);
    print(call, view, () => listing(call, view));
    return ExitCode.done;
  },
});

async function test(call: Call, name: string): Promise<ExitCode> {
  const { tryModel } = await library();
  const { shell } = call;
  const dir = await projectDir(call);
  await demandTrust(dir, call);
  const letGo = shell.interrupts.hold();
  try {
    const { fault, ...result } = await tryModel(dir, shell.env, name, { signal: shell.interrupts.signal });
    const { colours } = shell.out;
    const mark = result.ok ? colours.green("✓") : colours.red("✕");
    print(call, { name, ...result, ...(fault && { code: fault.code }) }, () => `${mark} ${visible(result.message)} (${span(result.ms)})\n`);
    return result.ok ? ExitCode.done : ExitCode.refused;
  } finally {
    letGo();
  }
}

function listing({ shell }: Call, view: ModelsView): string {
  const { out } = shell;
  const columns: readonly Column<TeamModel>[] = [
    {
      title: "",
      show: (model) => (model.problem === undefined ? "✓" : "✕"),
      plain: null,
      colour: (model, text) => (model.problem === undefined ? out.colours.green(text) : out.colours.red(text)),
    },
    { title: "NAME", show: (model) => model.name, shrinks: true },
    { title: "USED BY", show: (model) => model.usedBy.join(", ") || "–", shrinks: true },
    { title: "IN", show: (model) => priceText(model.price?.input), right: true },
    { title: "OUT", show: (model) => priceText(model.price?.output), right: true },
    { title: "KEY", show: keyText },
  ];
  const rows = table(out, columns, view.models);
  if (!out.isTerminal) return rows;
  const local = view.local.map(
    ({ server, baseURL, models: names }) => `${server} at ${baseURL}: ${names.slice(0, 6).join(", ") || "no models"}`,
  );
  const dim = (text: string) => wrap(text, out.columns).map((line) => out.colours.dim(line));
  return (
    [
      view.models.length > 0 ? rows.trimEnd() : "No model is named yet. Set defaults.model in colloquy.yaml.",
      ...view.models.flatMap((model) => (model.problem === undefined ? [] : [`${model.name}: ${visible(model.problem)}`])),
      ...dim(`keys: ${view.keys.map(({ env, isSet }) => `${env} ${isSet ? "found" : "not set"}`).join(" · ")}`),
      ...(local.length > 0 ? dim(`on this machine: ${local.join("; ")}`) : []),
      ...dim(`scripts: ${view.scripts.map((name) => `scripted/${name}`).join(", ") || "none"}`),
      ...dim(`prices: dollars per million tokens, as of ${view.pricesAsOf} (your own: price in colloquy.yaml)`),
    ].join("\n") + "\n"
  );
}

const priceText = (price: number | undefined): string => (price === undefined ? "–" : String(price));

function keyText(model: TeamModel): string {
  if (model.keyEnv === undefined) return "none needed";
  return model.isReady ? `${model.keyEnv} found` : `set ${model.keyEnv} (or .env)`;
}
