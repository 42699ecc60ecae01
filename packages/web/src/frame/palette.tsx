import { type ProjectRow, projectPath, useAllTasks, useDialogs, useDoor, useProjects, useQuestions } from "@colloquy/react";
import type { answers, DialogRow } from "@colloquy/schema";
import { type Dispatch, type SetStateAction, useEffect, useId, useMemo, useState } from "react";
import type { z } from "zod";
import { Modal } from "../parts/modal.tsx";
import { KindGlyph, StateGlyph } from "../parts/state-glyph.tsx";
import { TaskGlyph } from "../tasks/task-glyph.tsx";
import { useTheme, useWords } from "../state/appearance.ts";
import { go, type Route } from "../state/router.ts";

interface Item {
  readonly key: string;
  readonly label: string;
  readonly more?: string;
  readonly glyph?: React.ReactNode;
  readonly act: () => void;
}

/** Every page, every dialog by its title, and what was said in them. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const projects = useProjects() ?? [];
  return <Finder projects={projects} onClose={onClose} />;
}

function Finder({ projects, onClose }: { readonly projects: readonly ProjectRow[]; readonly onClose: () => void }) {
  const words = useWords();
  const [, isDark, setTheme] = useTheme();
  const [text, setText] = useState("");
  const [place, setPlace] = useState(0);
  const id = useId();
  const [found, setFound] = useState<Readonly<Record<string, readonly DialogRow[]>>>({});
  const { open: questions = [] } = useQuestions();
  const tasks = useAllTasks();
  const hits = useHits(projects, text);
  const to = (route: Route) => () => {
    onClose();
    go(route);
  };
  const items = useMemo<readonly Item[]>(() => {
    const isOne = projects.length === 1;
    const fits = (label: string) => label.toLowerCase().includes(text.trim().toLowerCase());
    const of = (name: string) => (isOne ? {} : { more: name });
    const pages: readonly Item[] = [
      { key: "inbox", label: words.inbox, act: to({ page: "inbox" }) },
      { key: "activity", label: words.activity, act: to({ page: "activity" }) },
      ...projects.flatMap(({ id: projectId, name }): readonly Item[] => [
        { key: `new ${projectId}`, label: words.newDialog, ...of(name), act: to({ page: "new", projectId }) },
        { key: `dialogs ${projectId}`, label: words.dialogs, ...of(name), act: to({ page: "dialogs", projectId }) },
        { key: `tasks ${projectId}`, label: words.tasks.title, ...of(name), act: to({ page: "tasks", projectId }) },
        { key: `task ${projectId}`, label: words.tasks.add, ...of(name), act: to({ page: "tasks", projectId, isNew: true }) },
        { key: `settings ${projectId}`, label: words.settings, ...of(name), act: to({ page: "settings", projectId }) },
      ]),
      {
        key: "theme",
        label: `${words.setup.theme}: ${isDark ? words.setup.themes.light : words.setup.themes.dark}`,
        act: () => {
          setTheme(isDark ? "light" : "dark");
          onClose();
        },
      },
    ];
    const asked = questions.map((question): Item => ({
      key: question.id,
      label: question.headline,
      ...of(question.projectId),
      glyph: <KindGlyph kind={question.kind} />,
      act: to({ page: "inbox", projectId: question.projectId, questionId: question.id }),
    }));
    const dialogs = projects.flatMap(({ id: projectId, name }) =>
      (found[projectId] ?? []).map((row): Item => ({
        key: row.rootId,
        label: row.title,
        ...of(name),
        glyph: <StateGlyph state={row.state} />,
        act: to({ page: "dialog", projectId, dialogId: row.rootId }),
      })),
    );
    const work = tasks.map((task): Item => ({
      key: `task ${task.id}`,
      label: task.title,
      more: isOne ? words.tasks.kinds[task.kind] : task.projectId,
      glyph: <TaskGlyph status={task.status} />,
      act: to({ page: "task", projectId: task.projectId, taskId: task.id }),
    }));
    const said = hits.map(({ projectId: pid, selfId, seq, title, snippet }): Item => ({
      key: `${selfId} ${seq}`,
      label: title,
      more: snippet.replaceAll(/[⟦⟧]/g, ""),
      act: to({ page: "dialog", projectId: pid, dialogId: selfId, ...(seq !== undefined && { seq }) }),
    }));
    const fitting = (items: readonly Item[], most: number) =>
      items.filter(({ label, more = "" }) => fits(`${label} ${more}`)).slice(0, most);
    return [...fitting(pages, 12), ...fitting(asked, 8), ...fitting(dialogs, 12), ...fitting(work, 12), ...said].slice(0, 40);
  }, [projects, found, questions, tasks, hits, text, words, isDark]);
  const current = items[Math.min(place, items.length - 1)];
  return (
    <Modal title={words.palette.title} onClose={onClose} isWide>
      {projects.map(({ id: projectId }) => (
        <DialogsOf key={projectId} projectId={projectId} onRows={setFound} />
      ))}
      <input
        autoFocus
        className="field"
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={current ? `${id}-${current.key}` : undefined}
        aria-label={words.palette.title}
        placeholder={words.palette.hint}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setPlace(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return;
          if (event.key === "ArrowDown") setPlace(Math.min(place + 1, items.length - 1));
          else if (event.key === "ArrowUp") setPlace(Math.max(0, place - 1));
          else if (event.key === "Enter") current?.act();
          else return;
          event.preventDefault();
        }}
      />
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
    </Modal>
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

type Hit = z.infer<typeof answers.SearchHit> & { readonly projectId: string };

export function useHits(projects: readonly ProjectRow[], text: string): readonly Hit[] {
  const door = useDoor();
  const [hits, setHits] = useState<readonly Hit[]>([]);
  useEffect(() => {
    if (text.trim().length < 2) return setHits([]);
    let isGone = false;
    const timer = setTimeout(() => {
      const load = async () => {
        const lists = await Promise.all(
          projects.map(async ({ id }) => {
            const found = await door.read<z.infer<typeof answers.SearchView>>(
              `${projectPath(id)}/search?q=${encodeURIComponent(text.trim())}`,
            );
            return found.hits.map((hit) => ({ ...hit, projectId: id }));
          }),
        );
        if (!isGone) setHits(lists.flat());
      };
      load().catch(() => setHits([])); // a server without search still finds titles
    }, 150);
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [door, projects, text]);
  return hits;
}
