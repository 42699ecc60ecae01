import { Modal } from "../parts/modal.tsx";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";
import { DependencyField } from "./dependency-field.tsx";
import { KindField } from "./kind-field.tsx";
import { type TaskFormProps, useTaskForm } from "./use-task-form.ts";

/** Creates or edits a task. A refusal is shown, and the form keeps its content. */
export function TaskForm(props: TaskFormProps) {
  const { projectId, tasks, task, onClose } = props;
  const words = useWords();
  const form = useTaskForm(props);
  return (
    <Modal title={task ? words.tasks.edit : words.tasks.add} onClose={onClose} isWide>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void form.send();
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void form.send();
        }}
      >
        {!task && <KindField projectId={projectId} kind={form.kind} onKind={form.setKind} />}
        <label className="text-[13px] text-muted">
          {words.tasks.name}
          <input
            autoFocus
            className="field mt-1 text-[15px] text-ink"
            placeholder={words.tasks.nameHint}
            value={form.title}
            onChange={(event) => form.setTitle(event.target.value)}
          />
        </label>
        {form.needsKey && (
          <label className="text-[13px] text-muted">
            {words.tasks.key}
            <input
              className="field mt-1 font-mono text-ink"
              placeholder={words.tasks.keyHint}
              value={form.key}
              onChange={(event) => form.setKey(event.target.value)}
            />
          </label>
        )}
        <label className="text-[13px] text-muted">
          {words.tasks.about}
          <textarea
            className="field mt-1 text-ink"
            rows={4}
            placeholder={words.tasks.aboutHint}
            value={form.description}
            onChange={(event) => form.setDescription(event.target.value)}
          />
        </label>
        <DependencyField tasks={tasks} self={task?.id} chosen={form.dependsOn} onChoose={form.setDependsOn} />
        <Problem text={form.problem} isBoxed />
        <div className="flex items-center gap-3">
          <button type="submit" className="button button-primary px-5" disabled={!form.canSend}>
            {task ? words.save : words.tasks.create}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {words.cancel}
          </button>
          <kbd className="max-sm:hidden">Ctrl Enter</kbd>
        </div>
      </form>
    </Modal>
  );
}
