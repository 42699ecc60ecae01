import { realpathSync } from "node:fs";
import { sep } from "node:path";
import {
  agent,
  type AgentApp,
  type AgentContext,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import { Refused, RootId } from "@colloquy/schema";
import type { AcpProject } from "./acp-project.ts";
import { invalid, readPrompt } from "./prompt-content.ts";
import { Session } from "./session.ts";

export interface AgentOptions {
  readonly version: string;
  readonly report: (error: unknown) => void;
}

/** A project's team as an ACP agent, for one connection. Sessions are main dialogs. */
export function acpAgent(project: AcpProject, { version, report }: AgentOptions): AgentApp {
  const sessions = new Map<string, Session>();
  let hasForms = false;

  const modesFor = (agentId: string): SessionModeState => ({
    currentModeId: agentId,
    availableModes: project.team().map(({ id, name }) => ({ id, name })),
  });

  function begin(client: AgentContext, rootId: RootId): Session {
    sessions.get(rootId)?.close();
    const agentId = project.defaultAgent ?? project.team()[0]?.id;
    if (agentId === undefined) throw RequestError.internalError(undefined, "The team has no agents. Add one to colloquy.yaml.");
    const session = new Session({ project, rootId, client, hasForms, agentId, report });
    sessions.set(rootId, session);
    return session;
  }

  function sessionOf(sessionId: string): Session {
    const session = sessions.get(sessionId);
    if (!session) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  async function opened(client: AgentContext, sessionId: string, isShown: boolean) {
    const rootId = RootId.safeParse(sessionId);
    if (!rootId.success) throw RequestError.sessionNotFound(sessionId);
    const session = begin(client, rootId.data);
    try {
      await session.open(isShown);
    } catch (error) {
      session.close();
      sessions.delete(sessionId);
      throw error instanceof Refused && error.code === "not_found" ? RequestError.sessionNotFound(sessionId) : error;
    }
    // After the reply.
    setImmediate(() => session.continue());
    return { modes: modesFor(session.agentId) };
  }

  return agent({ name: "colloquy" })
    .onConnect(({ closed }) => {
      void closed.finally(() => {
        for (const session of sessions.values()) session.close();
      });
    })
    .onRequest(methods.agent.initialize, ({ params }) => {
      hasForms = Boolean(params.clientCapabilities?.elicitation?.form);
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "colloquy", title: `Colloquy: ${project.name}`, version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, ({ params, client }) =>
      explained(async () => {
        demandFolder(project, params.cwd);
        const rootId = project.newId();
        return { sessionId: rootId, modes: modesFor(begin(client, rootId).agentId) };
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client }) =>
      explained(async () => {
        demandFolder(project, params.cwd);
        return opened(client, params.sessionId, true);
      }),
    )
    .onRequest(methods.agent.session.resume, ({ params, client }) =>
      explained(async () => {
        demandFolder(project, params.cwd);
        return opened(client, params.sessionId, false);
      }),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd, cursor } }) =>
      explained(async () => {
        if (cwd && !isInProject(project, cwd)) return { sessions: [] };
        const { rows, next } = await project.list(cursor ?? undefined);
        const shown = rows.filter(({ status }) => status !== "archived");
        const at = project.dir ?? cwd ?? "/";
        const list = shown.map(({ rootId, title, lastModified }) => ({ sessionId: rootId, cwd: at, title, updatedAt: lastModified }));
        return { sessions: list, ...(next !== undefined && { nextCursor: next }) };
      }),
    )
    .onRequest(methods.agent.session.setMode, ({ params: { sessionId, modeId } }) => {
      const session = sessionOf(sessionId);
      const team = project.team();
      if (!team.some(({ id }) => id === modeId))
        throw invalid(`There is no agent "${modeId}". The team: ${team.map(({ id }) => id).join(", ")}.`);
      session.agentId = modeId;
    })
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      explained(async () => ({ stopReason: await sessionOf(sessionId).prompt(readPrompt(prompt)) })),
    )
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId)?.cancel().catch(report);
    });
}

/** Agents work in the project's folder, so a session elsewhere would mislead. */
function demandFolder(project: AcpProject, cwd: string): void {
  if (!isInProject(project, cwd))
    throw invalid(`This team works in ${project.dir}, not in ${cwd}. Start one there: colloquy -C ${cwd} acp.`);
}

function isInProject({ dir }: AcpProject, cwd: string): boolean {
  if (dir === undefined) return true;
  const [root, place] = [realOf(dir), realOf(cwd)];
  return place === root || place.startsWith(root.endsWith(sep) ? root : root + sep);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it does not exist, so it leads nowhere else
  }
}

/** A refusal is the caller's mistake, and says what is valid. */
async function explained<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof Refused) throw RequestError.invalidParams({ code: error.code }, error.message);
    if (error instanceof RequestError) throw error;
    throw RequestError.internalError(undefined, error instanceof Error ? error.message : String(error));
  }
}
