import { A2A_PROTOCOL_VERSION, type AgentCard, type AgentSkill } from "@a2a-js/sdk";

export interface CardOptions {
  readonly name: string;
  readonly description: string;
  /** The address of both bindings. */
  readonly url: string;
  readonly version: string;
  /** The agents that the caller may know of. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
  /** The settings allow addresses for push notifications. */
  readonly hasPush: boolean;
}

const MODES = ["text/plain", "application/json", "image/png", "image/jpeg", "image/gif", "image/webp"];

export function agentCard({ name, description, url, version, agents, hasPush }: CardOptions): AgentCard {
  const skill = (id: string, shown: string, about: string): AgentSkill => ({
    id,
    name: shown,
    description: about,
    tags: ["agent"],
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  });
  const scheme = {
    $case: "httpAuthSecurityScheme" as const,
    value: { description: "A user's token.", scheme: "Bearer", bearerFormat: "" },
  };
  return {
    name,
    description,
    version,
    provider: undefined,
    supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
      url,
      protocolBinding,
      tenant: "",
      protocolVersion: A2A_PROTOCOL_VERSION,
    })),
    capabilities: { streaming: true, pushNotifications: hasPush, extendedAgentCard: true, extensions: [] },
    securitySchemes: { token: { scheme } },
    securityRequirements: [{ schemes: { token: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: ["text/plain", "application/json"],
    skills:
      agents.length === 0
        ? [skill("team", "Team", "Takes work, and asks people when it must.")]
        : agents.map((agent) => skill(agent.id, agent.name, `Work for ${agent.name}.`)),
    signatures: [],
  };
}
