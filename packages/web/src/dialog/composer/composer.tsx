import { useConnection } from "@colloquy/react";
import { GrowingField } from "../../parts/growing-field.tsx";
import { PictureButton, Pictures } from "../../parts/pictures.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Loaded } from "../dialog-column.tsx";
import { Addressed } from "./addressed.tsx";
import { CompletionList } from "./completion-list.tsx";
import { ComposerNote } from "./composer-note.tsx";
import { SendButton } from "./send-button.tsx";
import { useComposer } from "./use-composer.ts";

/** The message field: says who will read the message, and when. It can answer an open question, but never approves (U-S4). */
export function Composer({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const words = useWords();
  const composing = useComposer(projectId, dialog);
  const { draft, mentions, images, completing, answered, agentName } = composing;
  const { listId, offered, at } = completing;
  const { view } = dialog;
  if (composing.isClosed) return <ClosedComposer isDead={view.runState === "dead"} />;
  const readers = (mentions.length > 0 ? mentions : [view.agentId]).map((id) => agentName(id)).join(", ");
  return (
    <div className="relative border-t border-line bg-panel px-4 pt-3 pb-2 sm:px-5">
      <div className="mx-auto max-w-[820px]">
        {offered.length > 0 && <CompletionList id={listId} completions={offered} picked={at} onPick={completing.pick} />}
        <Addressed mentions={mentions} agentName={agentName} onRemove={composing.unmention} />
        <Pictures pictures={images.pictures} onRemove={images.remove} />
        <div className="flex items-end gap-2">
          <GrowingField
            ref={composing.field}
            value={draft}
            aria-label={answered ? words.yourAnswer : words.composer.label}
            placeholder={answered ? words.yourAnswerHint : words.composer.to(readers)}
            {...completing.aria}
            {...images.handlers}
            onChange={({ target }) => completing.onWrite(target.value, target.selectionStart)}
            onSelect={({ currentTarget }) => completing.setCaret(currentTarget.selectionStart)}
            onKeyDown={composing.onKeyDown}
          />
          <PictureButton className="h-10 px-2.5" onChoose={images.add} />
          <SendButton composing={composing} view={view} />
        </div>
        <ComposerNote composing={composing} view={view} />
      </div>
    </div>
  );
}

function ClosedComposer({ isDead }: { readonly isDead: boolean }) {
  const words = useWords();
  const { role } = useConnection();
  const text = role === "viewer" ? words.composer.viewer : isDead ? words.stateSentence.dead : words.composer.archived;
  return <p className="border-t border-line bg-panel px-5 py-3 text-[13px] text-muted">{text}</p>;
}
