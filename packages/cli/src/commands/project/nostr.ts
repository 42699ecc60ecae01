import { basename } from "node:path";
import { npubOf, nsecOf, type NostrView } from "@colloquy/schema";
import { type Call, defineCommand } from "../../line/command.ts";
import { ExitCode } from "../../line/exit-code.ts";
import { refused, wrongUsage } from "../../line/failure.ts";
import { print } from "../../line/output.ts";
import { livingServer } from "../../access/running-server.ts";
import { demandTrust } from "../../access/trust.ts";
import { library, projectDir } from "../../dialogs/session.ts";
import { table } from "../../terminal/table.ts";

/** How long relays may take to answer. */
const PUBLISH_MS = 15_000;

export const nostr = defineCommand({
  words: ["keys|status|publish-profile"],
  options: {},
  about: {
    en:
      "The team on Nostr: the relays and people are named under nostr in colloquy.yaml, and colloquy serve connects. keys makes the secret " +
      "keys that the settings name and that are set nowhere, in .dialogs/nostr.keys, and prints the public ones. status shows relays and " +
      "counters of the running server. publish-profile tells the relays the agents' names and which project they belong to.",
    zh: "团队在 Nostr 上：中继和人员写在 colloquy.yaml 的 nostr 中，由 colloquy serve 连接。keys 为设置提到而未设置的变量生成密钥，存入 .dialogs/nostr.keys，并打印公钥。status 显示运行中服务器的中继和计数。publish-profile 向中继公布智能体的名字和所属项目。",
  },
  examples: [
    ["colloquy nostr keys", { en: "the agents' npubs", zh: "智能体的 npub" }],
    ["colloquy nostr status", ""],
    ["colloquy nostr publish-profile", ""],
  ],

  async run(call) {
    const [verb, ...rest] = call.words;
    if (rest.length > 0) throw wrongUsage(`colloquy nostr ${verb} takes nothing else.`);
    const dir = await projectDir(call);
    if (verb === "keys") return keys(call, dir);
    if (verb === "status") return status(call, dir);
    if (verb === "publish-profile") return publishProfile(call, dir);
    throw wrongUsage(`nostr takes keys, status or publish-profile, not "${verb ?? ""}".`);
  },
});

async function keys(call: Call, dir: string): Promise<ExitCode> {
  const { nostrIn, addNostrKeys, NOSTR_KEYS_FILE } = await library();
  const { Signer } = await import("@colloquy/nostr");
  const signer = await Signer.load();
  const { missing } = await nostrIn(dir, call.shell.env);
  const made = Object.fromEntries(missing.map((name) => [name, nsecOf(signer.newKey())]));
  if (missing.length > 0) await addNostrKeys(dir, made);
  const { agents, project, variables } = await nostrIn(dir, call.shell.env);
  const rowOf = (name: string, variable: string | undefined, secret: string) => ({
    name,
    variable: variable ?? "",
    npub: npubOf(signer.publicKey(secret)),
    isNew: variable !== undefined && variable in made,
  });
  const rows = [
    ...[...agents].map(([id, secret]) => rowOf(id, variables.agents.get(id), secret)),
    ...(project === undefined ? [] : [rowOf("(project)", variables.project, project)]),
  ];
  print(call, { keys: rows }, () =>
    rows.length === 0
      ? "No key is named. Under an agent in colloquy.yaml: nostr: { keyEnv: LEAD_NSEC }; for the project: nostr: { project: { keyEnv: PROJECT_NSEC } }\n"
      : table(
          call.shell.out,
          [
            { title: "WHO", show: (row) => row.name },
            { title: "KEY", show: (row) => row.variable },
            { title: "NPUB", show: (row) => row.npub },
            { title: "", show: (row) => (row.isNew ? `new, in ${NOSTR_KEYS_FILE}` : "") },
          ],
          rows,
        ),
  );
  return ExitCode.done;
}

async function status(call: Call, dir: string): Promise<ExitCode> {
  const server = await livingServer(dir, call.shell);
  if (!server) throw refused("unavailable", "No server works on this project, so nobody is connected to its relays: colloquy serve");
  const { Api } = await import("@colloquy/client");
  const { nostr: view } = await new Api(server).settings();
  if (!view)
    throw refused(
      "bad_config",
      "The server has no relays. Name them in colloquy.yaml, then restart it: nostr: { relays: [wss://…], allow: [npub…] }",
    );
  print(call, view, () => statusText(call, view));
  return ExitCode.done;
}

function statusText({ shell: { out } }: Call, { relays, counts }: NostrView): string {
  const shown = table(
    out,
    [
      { title: "RELAY", show: (relay) => relay.url },
      {
        title: "STATE",
        show: (relay) => (relay.isConnected ? "connected" : `not connected${relay.why === undefined ? "" : `: ${relay.why}`}`),
      },
      { title: "WAITING", show: (relay) => String(relay.waiting) },
      { title: "REFUSED", show: (relay) => String(relay.refused) },
    ],
    relays,
  );
  const events = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return `${shown}\nEvents since the server started: ${events.join(", ")}\n`;
}

async function publishProfile(call: Call, dir: string): Promise<ExitCode> {
  await demandTrust(dir, { shell: call.shell });
  const { nostrIn } = await library();
  const { agents, project, config, members, missing } = await nostrIn(dir, call.shell.env);
  const relays = [...new Set(config?.relays)];
  if (relays.length === 0) throw refused("bad_config", "colloquy.yaml names no relays: nostr: { relays: [wss://…] }");
  if (agents.size === 0 && project === undefined)
    throw refused("bad_config", `No key is set${missing.length > 0 ? `: ${missing.join(", ")}` : ""}. Run colloquy nostr keys`);
  const { Identities, profileEvents, publishOnce, Signer } = await import("@colloquy/nostr");
  const signer = await Signer.load();
  const own = { agents, project };
  const identities = new Identities(own, { members: () => members, defaultAgent: () => undefined }, signer);
  const name = basename(dir);
  const described = { keys: own, identities, members, name, d: config?.project?.d ?? name, nowS: Math.floor(Date.now() / 1_000) };
  const events = profileEvents(described, signer);
  const published = await publishOnce(relays, events, { authKey: identities.authKey, signal: AbortSignal.timeout(PUBLISH_MS) });
  print(call, { relays: published }, () =>
    published
      .map(({ relay, accepted, refused: no, missing: late }) => {
        const problems = [...new Set(no), ...(late > 0 ? [`${late} without an answer`] : [])];
        return `${relay}: ${accepted} of ${events.length} accepted${problems.length > 0 ? `; ${problems.join("; ")}` : ""}\n`;
      })
      .join(""),
  );
  return published.some(({ accepted }) => accepted === events.length) ? ExitCode.done : ExitCode.refused;
}
