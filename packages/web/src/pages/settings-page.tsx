import { type Settings, projectPath, Refusal, useConnection, useDoor, useProject, useProjects } from "@colloquy/react";
import type { answers } from "@colloquy/schema";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { z } from "zod";
import { AgentBadge } from "../parts/agent-badge.tsx";
import { useLanguage, useTheme, useWords } from "../state/appearance.ts";
import { useKept } from "../state/kept.ts";
import { money, short } from "../state/duration.ts";
import type { Language } from "../words.ts";
import { ProjectSelect } from "../parts/project-select.tsx";

/** What is in force, and the line of colloquy.yaml to edit; appearance is of this browser. */
export function SettingsPage({ projectId: given }: { readonly projectId: string | undefined }) {
  const words = useWords();
  const projects = useProjects();
  const projectId = given ?? projects?.[0]?.id;
  return (
    <div className="min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-8">
        <h1 className="text-xl font-semibold tracking-tight">{words.settings}</h1>
        <Appearance />
        {projects && projects.length > 1 && (
          <label className="flex items-center gap-3 border-t border-line pt-6 font-semibold">
            {words.project}
            <ProjectSelect projects={projects} projectId={projectId} page="settings" className="field w-auto! font-normal" />
          </label>
        )}
        {projectId !== undefined && <OfProject projectId={projectId} />}
      </div>
    </div>
  );
}

function Section({ title, edit, children }: { readonly title: string; readonly edit?: string; readonly children: ReactNode }) {
  const words = useWords();
  return (
    <section>
      <h2 className="flex items-baseline justify-between gap-3 font-semibold">
        {title}
        {edit !== undefined && <span className="font-mono text-xs font-normal text-muted">{words.setup.editIn(edit)}</span>}
      </h2>
      <div className="mt-2 overflow-hidden rounded-xl border border-line bg-panel">{children}</div>
    </section>
  );
}

const Line = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3 last:border-0">{children}</div>
);

function Appearance() {
  const words = useWords();
  const [theme, , setTheme] = useTheme();
  const [language, setLanguage] = useLanguage();
  const [notify, setNotify] = useKept("notify");
  const [advance, setAdvance] = useKept("autoAdvance");
  const [swapped, setSwapped] = useKept("enterBreaks");
  const canNotify = "Notification" in globalThis;
  const [permission, setPermission] = useState(canNotify ? Notification.permission : "denied");
  return (
    <Section title={words.setup.appearance}>
      <Line>
        <label htmlFor="theme" className="flex-1">
          {words.setup.theme}
        </label>
        <select id="theme" className="field w-auto!" value={theme} onChange={(event) => setTheme(event.target.value)}>
          {Object.entries(words.setup.themes).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Line>
      <Line>
        <label htmlFor="language" className="flex-1">
          {words.setup.language}
        </label>
        <select id="language" className="field w-auto!" value={language} onChange={(event) => setLanguage(event.target.value as Language)}>
          <option value="en">English</option>
          <option value="zh">中文</option>
        </select>
      </Line>
      <Line>
        <label htmlFor="advance" className="flex-1">
          {words.setup.autoAdvance}
        </label>
        <input
          id="advance"
          type="checkbox"
          className="h-4 w-4 accent-(--accent)"
          checked={advance !== "off"}
          onChange={(event) => setAdvance(event.target.checked ? undefined : "off")}
        />
      </Line>
      <Line>
        <label htmlFor="send-key" className="flex-1">
          {words.setup.sendKey}
        </label>
        <input
          id="send-key"
          type="checkbox"
          className="h-4 w-4 accent-(--accent)"
          checked={swapped === ""}
          onChange={(event) => setSwapped(event.target.checked ? undefined : "yes")}
        />
      </Line>
      <Line>
        <span className="flex-1">
          {permission === "denied"
            ? words.notify.denied
            : notify === "on" && permission === "granted"
              ? words.notify.on
              : words.notify.offer}
        </span>
        {permission !== "denied" && !(notify === "on" && permission === "granted") && (
          <button
            type="button"
            className="button"
            onClick={async () => {
              const answer = await Notification.requestPermission();
              setPermission(answer);
              setNotify(answer === "granted" ? "on" : undefined);
            }}
          >
            {words.notify.allow}
          </button>
        )}
      </Line>
    </Section>
  );
}

function OfProject({ projectId }: { readonly projectId: string }) {
  const words = useWords();
  const { settings } = useProject(projectId);
  if (!settings) return null;
  return (
    <>
      {settings.notices.length > 0 && (
        <Section title={words.setup.notices}>
          {settings.notices.map((notice) => (
            <Line key={notice}>{notice}</Line>
          ))}
        </Section>
      )}
      {settings.problems.length > 0 && (
        <Section title={words.setup.problems}>
          {settings.problems.map(({ agentId, message }) => (
            <Line key={agentId}>
              <span className="font-medium">{settings.agents.find(({ id }) => id === agentId)?.name ?? agentId}</span>
              <span className="min-w-0 flex-1 text-fail">✕ {message}</span>
            </Line>
          ))}
        </Section>
      )}
      <Section title={words.setup.team} edit="colloquy.yaml: agents">
        {settings.agents.map(({ id, name, role, model, tools, isDefault }) => (
          <Line key={id}>
            <AgentBadge agentId={id} name={name} size={28} />
            <div className="min-w-0 flex-1">
              <div className="font-medium">
                {name} {isDefault && <span className="text-xs font-normal text-muted">· {words.setup.default}</span>}
              </div>
              <div className="line-clamp-2 text-[13px] text-muted">{role.replace(/\s+/g, " ").trim()}</div>
            </div>
            <div className="text-right font-mono text-xs text-muted">
              <div>{model ?? settings.defaultModel ?? "–"}</div>
              <div>{tools.join(", ")}</div>
            </div>
          </Line>
        ))}
      </Section>
      <Models projectId={projectId} settings={settings} />
      {settings.servers.length > 0 && (
        <Section title={words.setup.servers} edit="colloquy.yaml: mcp">
          {settings.servers.map((server) => (
            <Server key={server.name} projectId={projectId} server={server} />
          ))}
        </Section>
      )}
      <Section title={words.setup.autonomy} edit="colloquy.yaml: autonomy">
        {Object.entries(settings.autonomy).map(([act, level]) => (
          <Line key={act}>
            <span className="flex-1">{words.setup.acts[act as keyof typeof words.setup.acts]}</span>
            <span className="text-muted">{words.setup.levels[level]}</span>
          </Line>
        ))}
        {Object.entries(settings.permissions).map(([pattern, permission]) => (
          <Line key={pattern}>
            <span className="min-w-0 flex-1 font-mono text-[13px]">{pattern}</span>
            <span className="text-muted">{words.setup.permissions[permission]}</span>
          </Line>
        ))}
      </Section>
      <Section title={words.setup.limits} edit="colloquy.yaml: limits">
        {Object.entries(settings.limits).map(([name, value]) => (
          <Line key={name}>
            <span className="flex-1 font-mono text-[13px]">{name}</span>
            <span className="tabular-nums">{value.toLocaleString()}</span>
          </Line>
        ))}
        <Line>
          <span className="flex-1 font-mono text-[13px]">context</span>
          <span className="tabular-nums">
            {Math.round(settings.context.soft * 100)} % · {Math.round(settings.context.hard * 100)} %
          </span>
        </Line>
      </Section>
      <Grants projectId={projectId} />
      <Usage projectId={projectId} />
      {settings.users.length > 0 && (
        <Section title={words.setup.users} edit="colloquy.yaml: users">
          {settings.users.map(({ name, role }) => (
            <Line key={name}>
              <span className="flex-1">{name}</span>
              <span className="text-muted">{role}</span>
            </Line>
          ))}
        </Section>
      )}
    </>
  );
}

function Models({ projectId, settings }: { readonly projectId: string; readonly settings: Settings }) {
  const words = useWords();
  const names = [
    ...new Set([...settings.models.map(({ name }) => name), ...(settings.defaultModel === undefined ? [] : [settings.defaultModel])]),
  ];
  return (
    <Section title={words.setup.models} edit="colloquy.yaml: models">
      {names.map((name) => (
        <Model
          key={name}
          projectId={projectId}
          name={name}
          about={settings.models.find((one) => one.name === name)}
          isDefault={name === settings.defaultModel}
        />
      ))}
      {names.length === 0 && <Line>{words.setup.none}</Line>}
    </Section>
  );
}

function Model({
  projectId,
  name,
  about,
  isDefault,
}: {
  readonly projectId: string;
  readonly name: string;
  readonly about: Settings["models"][number] | undefined;
  readonly isDefault: boolean;
}) {
  const words = useWords();
  const door = useDoor();
  const [result, setResult] = useState<{ readonly isGood: boolean; readonly text: string }>();
  const [isAsking, setAsking] = useState(false);
  const test = async () => {
    setAsking(true);
    setResult(undefined);
    try {
      const tested = await door.change<z.infer<typeof answers.ModelTestView>>(
        "POST",
        `${projectPath(projectId)}/models/${encodeURIComponent(name)}/test`,
        {},
      );
      setResult({ isGood: tested.ok, text: tested.message });
    } catch (error) {
      setResult({ isGood: false, text: error instanceof Refusal ? error.message : String(error) });
    } finally {
      setAsking(false);
    }
  };
  return (
    <Line>
      <div className="min-w-0 flex-1">
        <div className="font-mono text-[13px]">
          {name} {isDefault && <span className="font-sans text-xs text-muted">· {words.setup.default}</span>}
        </div>
        {about && (
          <div className="text-xs text-muted">
            {about.provider} · {about.id}
            {about.contextWindow !== undefined && ` · ${short(about.contextWindow)}`}
          </div>
        )}
        {result && (
          <p role="status" className={`mt-1 text-[13px] ${result.isGood ? "text-accent" : "text-fail"}`}>
            {result.isGood ? "✓" : "✕"} {result.text}
          </p>
        )}
      </div>
      <button type="button" className="button" disabled={isAsking} onClick={() => void test()}>
        {isAsking ? words.setup.testing : words.setup.test}
      </button>
    </Line>
  );
}

/** An MCP server; one whose program changed waits here for an owner. */
function Server({ projectId, server }: { readonly projectId: string; readonly server: Settings["servers"][number] }) {
  const words = useWords();
  const door = useDoor();
  const { role } = useConnection();
  const [result, setResult] = useState<{ readonly isGood: boolean; readonly text: string }>();
  const allow = async () => {
    try {
      await door.change("POST", `${projectPath(projectId)}/servers/${encodeURIComponent(server.name)}/allow`, {});
      setResult({ isGood: true, text: words.setup.allowed });
    } catch (error) {
      setResult({ isGood: false, text: error instanceof Refusal ? error.message : String(error) });
    }
  };
  return (
    <Line>
      <div className="min-w-0 flex-1">
        <div className="font-mono text-[13px]">{server.name}</div>
        {server.why !== undefined && <p className="text-[13px] text-fail">✕ {server.why}</p>}
        {result && (
          <p role="status" className={`mt-1 text-[13px] ${result.isGood ? "text-accent" : "text-fail"}`}>
            {result.isGood ? "✓" : "✕"} {result.text}
          </p>
        )}
      </div>
      {server.changed.length > 0 && role === "owner" && !result?.isGood && (
        <button type="button" className="button" onClick={() => void allow()}>
          {words.setup.allow}
        </button>
      )}
    </Line>
  );
}

function Grants({ projectId }: { readonly projectId: string }) {
  const words = useWords();
  const door = useDoor();
  const { role } = useConnection();
  const [grants, setGrants] = useState<readonly z.infer<typeof answers.GrantView>[]>();
  const load = useCallback(async () => {
    const found = await door.read<z.infer<typeof answers.GrantList>>(`${projectPath(projectId)}/grants`);
    setGrants(found.grants);
  }, [door, projectId]);
  useEffect(() => {
    load().catch(() => undefined); // the connection bar says so
  }, [load]);
  return (
    <Section title={words.setup.grants}>
      {grants?.length === 0 && <Line>{words.setup.noGrants}</Line>}
      {grants?.map((grant) => (
        <Line key={grant.id}>
          <span className="min-w-0 flex-1 font-mono text-[13px]">{grant.pattern}</span>
          <span className="text-xs text-muted">{grant.by}</span>
          {role === "owner" && (
            <button
              type="button"
              className="button"
              onClick={async () => {
                await door.change("DELETE", `${projectPath(projectId)}/grants/${grant.id}`, {});
                await load();
              }}
            >
              {words.setup.revoke}
            </button>
          )}
        </Line>
      ))}
    </Section>
  );
}

function Usage({ projectId }: { readonly projectId: string }) {
  const words = useWords();
  const door = useDoor();
  const { agentName } = useProject(projectId);
  const [rows, setRows] = useState<readonly z.infer<typeof answers.UsageRowView>[]>([]);
  useEffect(() => {
    door
      .read<z.infer<typeof answers.UsageView>>(`${projectPath(projectId)}/usage?by=agent`)
      .then((usage) => setRows(usage.rows))
      .catch(() => undefined); // the connection bar says so
  }, [door, projectId]);
  if (rows.length === 0) return null;
  return (
    <Section title={words.setup.usage}>
      {rows.map((row) => (
        <Line key={row.key}>
          <span className="flex-1">{agentName(row.key)}</span>
          <span className="text-[13px] tabular-nums text-muted">{words.dialog.tokens(short(row.input + row.output))}</span>
          <span className="w-20 text-right tabular-nums">{row.cost === undefined ? "–" : money(row.cost)}</span>
        </Line>
      ))}
    </Section>
  );
}
