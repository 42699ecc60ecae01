import { masked, type WorkSpans } from "@colloquy/runtime";
import type { Store } from "@colloquy/store";
import type { FollowerClock, TracingState } from "@colloquy/tracing";
import type { ProjectTeam } from "../team/project-team.ts";
import { version } from "../version.ts";
import { quietClock } from "./send-metrics.ts";
import type { TracingSettings } from "./tracing-settings.ts";

/** Traces of a project on their way to a collector. */
export interface Tracing {
  readonly state: TracingState;
  /** The spans of work in progress. */
  readonly spans: WorkSpans;
  /** Sends what there is. Resolves when the collector has accepted it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface TracingPlace {
  readonly store: Store;
  readonly team: ProjectTeam;
  /** A test's clock. */
  readonly clock: FollowerClock | undefined;
  readonly report: (message: string) => void;
}

const MIN_SECRET = 8;

/** Loads what it needs only now: without tracing, nothing of it is loaded. */
export async function startTracing({ target, resource, content }: TracingSettings, place: TracingPlace): Promise<Tracing> {
  const { store, team, report } = place;
  const { activeSpans, Follower, Sender } = await import("@colloquy/tracing");
  const sender = new Sender(target, { attributes: { ...resource, "service.version": version() }, version: version() });
  const keys = Object.values(target.headers).filter((value) => value.length >= MIN_SECRET);
  const follower = new Follower({
    store,
    clock: place.clock ?? quietClock,
    options: {
      nameOf: (agent) => team.member(agent)?.name,
      content: content ? (text) => masked(text, [...keys, ...team.secrets]) : undefined,
    },
    send: (spans, signal) => sender.traces(spans, signal),
    place: sender.place,
    report,
  });
  await follower.start();
  const spans = await activeSpans();
  return {
    spans,
    get state() {
      return follower.state;
    },
    flush: () => follower.flush(),
    close: () => follower.close(),
  };
}
