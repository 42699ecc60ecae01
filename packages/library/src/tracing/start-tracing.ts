import type { WorkSpans } from "@colloquy/runtime";
import type { Store } from "@colloquy/store";
import type { TracingState } from "@colloquy/tracing";
import type { ProjectTeam } from "../team/project-team.ts";
import { version } from "../version.ts";
import type { TracingSettings } from "./tracing-settings.ts";

/** Traces of a project on their way to a collector. */
export interface Tracing {
  readonly state: TracingState;
  /** The spans of work in progress. */
  readonly spans: WorkSpans;
  /** Sends everything pending. Resolves when the collector has accepted it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface TracingPlace {
  readonly store: Store;
  readonly team: ProjectTeam;
  readonly report: (message: string) => void;
}

const MIN_SECRET = 8;

/** Loads the tracing code on demand: without tracing, none of it is loaded. */
export async function startTracing(settings: TracingSettings, place: TracingPlace): Promise<Tracing> {
  const { activeSpans, TracingThread } = await import("@colloquy/tracing");
  const { target, content } = settings;
  const { store, team, report } = place;
  const keys = Object.values(target.headers).filter((value) => value.length >= MIN_SECRET);
  const thread = new TracingThread({
    store,
    target,
    resource: { attributes: { ...settings.resource, "service.version": version() }, version: version() },
    isContentSent: content,
    described: () => ({
      names: Object.fromEntries(team.members().map(({ id, name }) => [id, name])),
      secrets: content ? [...keys, ...team.secrets] : [],
    }),
    report,
  });
  await thread.start();
  const spans = await activeSpans();
  return {
    spans,
    get state() {
      return thread.state;
    },
    flush: () => thread.flush(),
    close: () => thread.close(),
  };
}
