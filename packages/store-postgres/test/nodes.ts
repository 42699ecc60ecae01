import { defineTool, openProject, type Project } from "@colloquy/library";
import type { ModelRequest } from "@colloquy/models";
import { type Clock, memoryDocuments, realClock } from "@colloquy/runtime";
import { type Telling, toldModel } from "@colloquy/testing/internals";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { openPostgresStore, storeAddress } from "../src/index.ts";
import { newDatabase } from "./database.ts";

export interface Node {
  readonly project: Project;
  readonly requests: readonly ModelRequest[];
  /** Like `kill -9`: its sessions end, and it cleans up nothing. */
  kill(): Promise<void>;
  /** How many other nodes there are. */
  others(): Promise<number>;
}

/** `work`: what the tool of that name does there. */
export type PlacedNode = readonly [place: string, telling: Telling, work?: (name: string) => Promise<string>];

/** No tool is cut off when a node closes. */
const clock: Clock = { ...realClock, sleep: (ms, signal) => realClock.sleep(ms === 3_000 ? 1_000_000 : ms, signal) };

/** Nodes of one project, each with a model of its own that is told what to say. */
export async function nodes(...tellings: readonly Telling[]): Promise<readonly Node[]> {
  return placed(tellings.map((telling, nth) => [`place-${nth}`, telling]));
}

export async function placed(all: readonly PlacedNode[]): Promise<readonly Node[]> {
  return openAll((await newDatabase()).url, all);
}

export async function openAll(url: string, all: readonly PlacedNode[]): Promise<readonly Node[]> {
  const address = storeAddress(url, "shop");
  return Promise.all(
    all.map(async ([place, telling, work = () => Promise.resolve("")]) => {
      const store = await openPostgresStore(address, { place, claims: "all" });
      const requests: ModelRequest[] = [];
      const tool = defineTool({
        name: "work",
        description: "Works.",
        input: z.object({ name: z.string() }),
        run: ({ name }) => work(name),
      });
      const model = toldModel(telling, requests);
      const project = await openProject({
        dir: "/nowhere",
        store,
        agents: [
          { id: "lead", name: "Lead", role: "You lead.", tools: [], default: true },
          { id: "coder", name: "Coder", role: "You code.", tools: [] },
          { id: "smith", name: "Smith", role: "You work.", tools: [tool] },
          { id: "clerk", name: "Clerk", role: "You file.", tools: ["files"] },
        ],
        clock,
        documents: memoryDocuments(),
        model: model.name,
        findModel: () => model,
        report: () => undefined,
      });
      onTestFinished(() => store.abandon());
      return { project, requests, kill: () => store.abandon(), others: async () => (await store.cluster.nodes()).length - 1 };
    }),
  );
}
