import { useApi, useConnection, useProject } from "@colloquy/react";
import type { answers } from "@colloquy/schema";
import { useEffect, useState } from "react";
import type { z } from "zod";
import { Link } from "../../parts/link.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useWords } from "../../state/appearance.ts";
import type { Loaded } from "../dialog-column.tsx";
import { PanelSection } from "./panel-section.tsx";
import { useVerb } from "../use-verb.ts";

/** Summary, reminders, sessions and memory. */
export function NotesTab({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const words = useWords();
  const { agentName } = useProject(projectId);
  const { view } = dialog;
  return (
    <>
      {view.summary !== undefined && (
        <PanelSection title={words.panel.summary}>
          <p className="text-[13px] break-words whitespace-pre-wrap">{view.summary}</p>
        </PanelSection>
      )}
      <Reminders projectId={projectId} dialog={dialog} />
      {view.supdialogId === undefined && (
        <PanelSection title={words.panel.registry}>
          {view.sessions.length === 0 && <p className="text-[13px] text-muted">{words.panel.noSessions}</p>}
          <ul className="flex flex-col gap-1">
            {view.sessions.map((session) => (
              <li key={session.dialogId}>
                <Link to={{ page: "dialog", projectId, dialogId: session.dialogId }} className="hover:underline">
                  {agentName(session.agentId)} · {session.slug}{" "}
                  {session.locked && <span className="text-xs text-muted">({words.panel.locked})</span>}
                </Link>
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
      <Memory projectId={projectId} />
    </>
  );
}

function Reminders({ projectId, dialog }: { readonly projectId: string; readonly dialog: Loaded }) {
  const words = useWords();
  const { role } = useConnection();
  const { view } = dialog;
  const { act, problem } = useVerb(projectId);
  const [text, setText] = useState("");
  const add = async () => {
    if (text.trim() !== "" && (await act(({ addReminder }) => addReminder(view.selfId, { content: text.trim() })))) setText("");
  };
  return (
    <PanelSection title={words.panel.reminders}>
      {view.reminders.length === 0 && <p className="text-[13px] text-muted">{words.panel.noReminders}</p>}
      <ul className="flex flex-col gap-1.5">
        {view.reminders.map(({ id, content }) => (
          <li key={id} className="flex items-start gap-2 text-[13px]">
            <span className="text-muted tabular-nums">{id}</span>
            <span className="min-w-0 flex-1 whitespace-pre-wrap">{content}</span>
            {role !== "viewer" && (
              <button
                type="button"
                className="text-muted hover:text-ink"
                aria-label={`${words.panel.delete}: ${content.slice(0, 40)}`}
                onClick={() => void act(({ deleteReminder }) => deleteReminder(view.selfId, id))}
              >
                ✕
              </button>
            )}
          </li>
        ))}
      </ul>
      {role !== "viewer" && (
        <form
          className="mt-2 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void add();
          }}
        >
          <input
            className="field py-1!"
            aria-label={words.panel.addReminder}
            placeholder={words.panel.addReminder}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <button type="submit" className="button" aria-label={words.panel.addReminder} disabled={text.trim() === ""}>
            +
          </button>
        </form>
      )}
      <Problem text={problem} className="mt-1" />
    </PanelSection>
  );
}

function Memory({ projectId }: { readonly projectId: string }) {
  const words = useWords();
  const api = useApi(projectId);
  const [memory, setMemory] = useState<z.infer<typeof answers.MemoryView>>();
  useEffect(() => {
    api
      .memory()
      .then(setMemory)
      .catch(() => undefined); // the connection bar says so
  }, [api]);
  return (
    <PanelSection title={words.panel.memory}>
      {memory?.documents.length === 0 && <p className="text-[13px] text-muted">{words.panel.noMemory}</p>}
      {memory?.documents.map(({ path, text }) => (
        <details key={path} className="mb-1">
          <summary className="font-mono text-xs">{path}</summary>
          <div className="mt-1 border-l-2 border-line pl-3">
            <Markdown text={text} />
          </div>
        </details>
      ))}
    </PanelSection>
  );
}
