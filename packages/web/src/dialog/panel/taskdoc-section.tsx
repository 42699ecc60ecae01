import { Markdown } from "../../parts/markdown.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import { PanelSection } from "./panel-section.tsx";
import { type SectionProps, useTaskdocSection } from "./use-taskdoc-section.ts";

export function TaskdocSection(props: SectionProps) {
  const { name, section } = props;
  const words = useWords();
  const editing = useTaskdocSection(props);
  const title = words.panel[name];
  const hasText = section !== undefined && section.text.trim() !== "";
  return (
    <PanelSection
      title={title}
      action={
        editing.mayEdit &&
        !editing.isEditing && (
          <button type="button" className="font-normal hover:text-ink" aria-label={`${words.edit}: ${title}`} onClick={editing.edit}>
            {words.edit}
          </button>
        )
      }
    >
      {editing.isEditing ? (
        <SectionForm title={title} theirs={section?.text ?? ""} editing={editing} />
      ) : hasText ? (
        <Markdown text={section.text} />
      ) : (
        <p className="text-[13px] text-muted">{words.panel.noTask}</p>
      )}
    </PanelSection>
  );
}

interface FormProps {
  readonly title: string;
  /** The current text, shown if somebody else changed it. */
  readonly theirs: string;
  readonly editing: ReturnType<typeof useTaskdocSection>;
}

function SectionForm({ title, theirs, editing }: FormProps) {
  const words = useWords();
  return (
    <div className="flex flex-col gap-2">
      {editing.isChanged && (
        <div className="rounded-lg border border-line bg-sunken p-2 text-[13px]">
          <p>{words.panel.changedMeanwhile}</p>
          <p className="mt-1 text-xs text-muted">{words.panel.theirs}</p>
          <Markdown text={theirs} />
        </div>
      )}
      <textarea
        className="field font-mono text-[13px]"
        rows={8}
        aria-label={title}
        value={editing.draft}
        onChange={(event) => editing.setDraft(event.target.value)}
      />
      <Problem text={editing.problem} />
      <div className="flex gap-2">
        <button type="button" className="button button-primary" disabled={editing.isSaving} onClick={editing.save}>
          {words.save}
        </button>
        <button type="button" className="button" onClick={editing.close}>
          {words.cancel}
        </button>
      </div>
    </div>
  );
}
