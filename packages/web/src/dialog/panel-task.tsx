import { projectPath, Refusal, useConnection, useDoor } from "@colloquy/react";
import type { answers } from "@colloquy/schema";
import { useCallback, useEffect, useState } from "react";
import type { z } from "zod";
import { Markdown } from "../parts/markdown.tsx";
import { Problem } from "../parts/problem.tsx";
import { useWords } from "../state/appearance.ts";
import { draftKey, useKept } from "../state/kept.ts";
import { newMsgId } from "@colloquy/schema";
import type { Loaded } from "./dialog-column.tsx";
import { PanelSection } from "./panel-section.tsx";

type Taskdoc = z.infer<typeof answers.TaskdocView>;
const SECTIONS = ["goals", "constraints", "progress"] as const;

/** The Taskdoc: shown, and edited in place; what somebody else changed meanwhile is never overwritten. */
export function TaskTab({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const door = useDoor();
  const [doc, setDoc] = useState<Taskdoc>();
  const { view } = dialog;
  const path = `${projectPath(projectId)}/dialogs/${view.rootId}`;
  const changes = dialog.events.filter(
    ({ event }) => event.type === "document.changed" || event.type === "document.written" || event.type === "call.ended",
  ).length;
  const load = useCallback(async () => setDoc(await door.read<Taskdoc>(`${path}/taskdoc`)), [door, path]);
  useEffect(() => {
    load().catch(() => undefined); // the connection bar says so
  }, [load, changes]);
  if (!doc) return null;
  return (
    <>
      <p className="mb-4 font-mono text-xs text-muted">{doc.path}</p>
      {SECTIONS.map((name) => (
        <Section key={name} name={name} rootId={view.rootId} section={doc.sections[name]} path={path} reload={load} />
      ))}
    </>
  );
}

function Section({
  name,
  rootId,
  section,
  path,
  reload,
}: {
  readonly name: (typeof SECTIONS)[number];
  readonly rootId: string;
  readonly section: { readonly text: string; readonly shown: string } | undefined;
  readonly path: string;
  readonly reload: () => Promise<void>;
}) {
  const words = useWords();
  const door = useDoor();
  const { role } = useConnection();
  const [draft, setDraft] = useKept(draftKey(`taskdoc ${rootId} ${name}`));
  /** The version that was shown when editing began. */
  const [edited, setEdited] = useState<{ readonly shown: string | undefined }>();
  const [problem, setProblem] = useState<string>();
  const isChanged = edited !== undefined && edited.shown !== section?.shown;
  const save = async () => {
    setProblem(undefined);
    try {
      await door.change("POST", `${path}/change-mind`, {
        selector: name,
        content: draft,
        msgId: newMsgId(),
        ...(edited?.shown !== undefined && { shown: edited.shown }),
      });
      setEdited(undefined);
      setDraft(undefined);
      await reload();
    } catch (error) {
      setProblem(
        error instanceof Refusal && error.code === "document_changed"
          ? words.panel.changedMeanwhile
          : words.refused(error instanceof Error ? error.message : String(error)),
      );
      await reload();
    }
  };
  return (
    <PanelSection
      title={words.panel[name]}
      action={
        role !== "viewer" &&
        edited === undefined && (
          <button
            type="button"
            className="font-normal hover:text-ink"
            aria-label={`${words.edit}: ${words.panel[name]}`}
            onClick={() => {
              if (draft === "") setDraft(section?.text ?? "");
              setEdited({ shown: section?.shown });
            }}
          >
            {words.edit}
          </button>
        )
      }
    >
      {edited === undefined ? (
        section && section.text.trim() !== "" ? (
          <Markdown text={section.text} />
        ) : (
          <p className="text-[13px] text-muted">{words.panel.noTask}</p>
        )
      ) : (
        <div className="flex flex-col gap-2">
          {isChanged && (
            <div className="rounded-lg border border-line bg-sunken p-2 text-[13px]">
              <p>{words.panel.changedMeanwhile}</p>
              <p className="mt-1 text-xs text-muted">{words.panel.theirs}</p>
              <Markdown text={section?.text ?? ""} />
            </div>
          )}
          <textarea
            className="field font-mono text-[13px]"
            rows={8}
            aria-label={words.panel[name]}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
          <Problem text={problem} />
          <div className="flex gap-2">
            <button
              type="button"
              className="button button-primary"
              onClick={() => (isChanged ? setEdited({ shown: section?.shown }) : void save())}
            >
              {words.save}
            </button>
            <button
              type="button"
              className="button"
              onClick={() => {
                setEdited(undefined);
                setDraft(undefined);
                setProblem(undefined);
              }}
            >
              {words.cancel}
            </button>
          </div>
        </div>
      )}
    </PanelSection>
  );
}
