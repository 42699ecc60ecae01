import { useDialogs } from "@colloquy/react";
import type { DialogRow } from "@colloquy/schema";
import { type Dispatch, type SetStateAction, useEffect } from "react";
import { useWords } from "../state/appearance.ts";
import { type PaletteListProps, usePalette } from "./use-palette.tsx";

/** The palette's results. Keys are handled by its field. */
export function PaletteList(props: PaletteListProps) {
  const words = useWords();
  const { projects, items, current, setFound } = usePalette(props);
  const { id } = props;
  return (
    <>
      {projects.map(({ id: projectId }) => (
        <DialogsOf key={projectId} projectId={projectId} onRows={setFound} />
      ))}
      <div id={id} role="listbox" aria-label={words.palette.title} className="mt-2 max-h-[50vh] overflow-y-auto" tabIndex={-1}>
        {items.map((item) => (
          <div
            key={item.key}
            id={`${id}-${item.key}`}
            role="option"
            aria-selected={item === current}
            onClick={item.act}
            className={`flex cursor-pointer items-center gap-2 rounded-lg px-3 py-2 ${item === current ? "bg-accent-soft" : "hover:bg-hover"}`}
          >
            {item.glyph}
            <span className="max-w-[75%] truncate">{item.label}</span>
            {item.more !== undefined && <span className="min-w-0 flex-1 truncate text-right text-xs text-muted">{item.more}</span>}
          </div>
        ))}
      </div>
      {items.length === 0 && <p className="p-4 text-center text-muted">{words.palette.empty}</p>}
    </>
  );
}

/** The dialogs of one project; there may be any number of projects. */
function DialogsOf({
  projectId,
  onRows,
}: {
  readonly projectId: string;
  readonly onRows: Dispatch<SetStateAction<Readonly<Record<string, readonly DialogRow[]>>>>;
}) {
  const { rows } = useDialogs(projectId);
  useEffect(() => {
    if (rows) onRows((before) => ({ ...before, [projectId]: rows }));
  }, [rows, projectId, onRows]);
  return null;
}
