import { type DialogState, useDialog } from "@colloquy/react";
import { useMemo } from "react";
import { useWords } from "../state/appearance.ts";
import { Composer } from "./composer/composer.tsx";
import { DialogHeader } from "./header/dialog-header.tsx";
import { transcript } from "./transcript/transcript.ts";
import { TranscriptView } from "./transcript/transcript-view.tsx";

export interface ColumnProps {
  readonly projectId: string;
  readonly dialogId: string;
  readonly seq: number | undefined;
  /** Scroll to the start of this course, loading older messages if needed. */
  readonly course?: number | undefined;
  readonly isPhone: boolean;
  readonly isMain?: boolean;
  readonly hasPanel?: boolean;
  readonly onOpen: (dialogId: string) => void;
  readonly onPanel?: () => void;
  readonly onClose?: () => void;
}

/** One dialog from its header to its composer. */
export function DialogColumn(props: ColumnProps) {
  const { projectId, dialogId } = props;
  const words = useWords();
  const dialog = useDialog(dialogId, projectId);
  const rows = useMemo(() => transcript(dialog.events, dialogId), [dialog.events, dialogId]);
  if (dialog.problem)
    return <p className="m-auto p-8 text-muted">{dialog.problem.code === "not_found" ? words.notFoundDialog : dialog.problem.message}</p>;
  if (!dialog.view) return <p className="sr-only">{words.loading}</p>;
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <DialogHeader {...props} dialog={dialog as Loaded} />
      <TranscriptView {...props} dialog={dialog as Loaded} rows={rows} />
      <Composer projectId={projectId} dialog={dialog as Loaded} />
    </div>
  );
}

/** A loaded dialog. */
export type Loaded = DialogState & { readonly view: NonNullable<DialogState["view"]> };
