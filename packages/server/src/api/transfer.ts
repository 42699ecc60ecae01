import { Readable } from "node:stream";
import { DIALOG_FILE, type queries, shortId } from "@colloquy/schema";
import type { z } from "zod";
import { type Asked, projectOf } from "./context.ts";
import { dialogOf, signedBy } from "./dialogs.ts";

export async function exportDialog(asked: Asked) {
  const { project, where } = await dialogOf(asked);
  return fileResponse(await project.dialogs.export(where), shortId(where.rootId));
}

export async function exportAll(asked: Asked) {
  const { project, id } = projectOf(asked);
  return fileResponse(await project.dialogs.exportAll(), id);
}

export async function backup(asked: Asked<z.output<typeof queries.BackupQuery>>) {
  const { project, id } = projectOf(asked);
  return fileResponse(await project.backup(asked.query), `backup-${id}`);
}

export async function importDialogs(asked: Asked<z.output<typeof queries.ImportQuery>>) {
  const { project } = projectOf(asked);
  const { by } = signedBy(asked);
  return { dialogs: await project.import(asked.file(), { by, ...asked.query }) };
}

const fileResponse = (file: AsyncIterable<Uint8Array>, name: string): Response =>
  new Response(Readable.toWeb(Readable.from(file, { objectMode: false })) as never, {
    headers: {
      "content-type": DIALOG_FILE,
      "cache-control": "no-store",
      "content-disposition": `attachment; filename="${name.replaceAll(/[^A-Za-z0-9._-]/g, "_")}.colloquy.gz"`,
    },
  });
