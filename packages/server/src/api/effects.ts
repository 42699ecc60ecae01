import type { queries, requests } from "@colloquy/schema";
import type { z } from "zod";
import { type Asked, projectOf } from "./context.ts";
import { signedBy } from "./dialogs.ts";

export async function effects(asked: Asked<z.output<typeof queries.EffectsQuery>>) {
  const { items, next, isComplete } = await projectOf(asked).project.effects.list(asked.query);
  return { effects: items, ...(next !== undefined && { next }), isComplete };
}

export async function settle(asked: Asked<unknown, z.output<typeof requests.Settling>>) {
  const { as, note } = asked.body;
  const { seq } = await projectOf(asked).project.effects.settle(asked.params.cid ?? "", as, {
    ...signedBy(asked),
    ...(note !== undefined && { note }),
  });
  return { seq };
}
