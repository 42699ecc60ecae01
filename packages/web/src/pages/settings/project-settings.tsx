import { useProject } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { Care } from "./care.tsx";
import { Grants } from "./grants.tsx";
import { Models } from "./models.tsx";
import { Nodes } from "./nodes.tsx";
import { Autonomy, Limits } from "./rules.tsx";
import { Line, Section } from "./section.tsx";
import { Server } from "./server.tsx";
import { Team } from "./team.tsx";
import { Usage } from "./usage.tsx";

/** The settings in force in a project. */
export function ProjectSettings({ projectId }: { readonly projectId: string }) {
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
      <Team settings={settings} />
      <Models projectId={projectId} settings={settings} />
      {settings.servers.length > 0 && (
        <Section title={words.setup.servers} edit="colloquy.yaml: mcp">
          {settings.servers.map((server) => (
            <Server key={server.name} projectId={projectId} server={server} />
          ))}
        </Section>
      )}
      <Autonomy settings={settings} />
      <Limits settings={settings} />
      <Grants projectId={projectId} />
      <Usage projectId={projectId} />
      <Nodes projectId={projectId} />
      <Care projectId={projectId} />
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
