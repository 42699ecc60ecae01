import { type ProjectRow, useAllTasks, useProjects, useQuestions } from "@colloquy/react";
import type { DialogRow } from "@colloquy/schema";
import { type ReactNode, type RefObject, useLayoutEffect, useMemo, useState } from "react";
import { KindGlyph, StateGlyph } from "../parts/state-glyph.tsx";
import { useTheme, useWords } from "../state/appearance.ts";
import { go, type Route } from "../state/router.ts";
import { TaskGlyph } from "../tasks/task-glyph.tsx";
import { useHits } from "./use-hits.ts";

/** A page to open, or an action. */
export interface Item {
  readonly key: string;
  readonly label: string;
  readonly more?: string;
  readonly glyph?: ReactNode;
  readonly act: () => void;
}

export interface PaletteListProps {
  readonly text: string;
  /** The list's element id. An item's id is this and its key. */
  readonly id: string;
  /** Set by the list: true if it used the key. */
  readonly onKey: RefObject<((key: string) => boolean) | undefined>;
  readonly onCurrent: (key: string | undefined) => void;
  readonly onClose: () => void;
}

type Found = Readonly<Record<string, readonly DialogRow[]>>;
/** Makes an item's action: closes the palette and goes there. */
type To = (route: Route) => () => void;

const MAX_ITEMS = 40;
const NO_PROJECTS: readonly ProjectRow[] = [];

/** The matches: pages, questions, dialogs, tasks, and texts in dialogs. */
export function usePalette({ text, id, onKey, onCurrent, onClose }: PaletteListProps) {
  const projects = useProjects() ?? NO_PROJECTS;
  const [chosen, setChosen] = useState<{ readonly text: string; readonly key: string | undefined }>();
  const [found, setFound] = useState<Found>({});
  const to: To = (route) => () => {
    onClose();
    go(route);
  };
  const items = useItems(projects, found, text, { to, onClose });
  const current = (chosen?.text === text ? items.find(({ key }) => key === chosen.key) : undefined) ?? items[0];
  const choose = (item: Item | undefined) => setChosen({ text, key: item?.key });
  useLayoutEffect(() => {
    // By key, so that later results do not change what Enter opens. Before painting, so that the field names its list at once.
    choose(current);
    onCurrent(current?.key);
    document.getElementById(`${id}-${current?.key}`)?.scrollIntoView({ block: "nearest" });
  }, [current?.key, text, items]);
  const move = (by: number) => {
    const at = items.findIndex((item) => item === current) + by;
    choose(items[Math.max(0, Math.min(at, items.length - 1))]);
  };
  useLayoutEffect(() => {
    onKey.current = (key) => {
      if (key === "ArrowDown") move(1);
      else if (key === "ArrowUp") move(-1);
      else if (key === "Enter") current?.act();
      else return false;
      return true;
    };
  });
  return { projects, items, current, setFound };
}

function useItems(projects: readonly ProjectRow[], found: Found, text: string, { to, onClose }: { to: To; onClose: () => void }) {
  const words = useWords();
  const { open: questions = [] } = useQuestions();
  const tasks = useAllTasks();
  const hits = useHits(
    projects.map(({ id }) => id),
    text,
  );
  const pages = usePages(projects, to, onClose);
  return useMemo<readonly Item[]>(() => {
    const isOne = projects.length === 1;
    const of = (name: string) => (isOne ? {} : { more: name });
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
    const said = hits.map(({ projectId, selfId, seq, title, snippet }): Item => ({
      key: `${selfId} ${seq}`,
      label: title,
      more: snippet.replaceAll(/[⟦⟧]/g, ""),
      act: to({ page: "dialog", projectId, dialogId: selfId, ...(seq !== undefined && { seq }) }),
    }));
    const sought = text.trim().toLowerCase();
    const fitting = (some: readonly Item[], max: number) =>
      some.filter(({ label, more = "" }) => `${label} ${more}`.toLowerCase().includes(sought)).slice(0, max);
    return [...fitting(pages, 12), ...fitting(asked, 8), ...fitting(dialogs, 12), ...fitting(work, 12), ...said].slice(0, MAX_ITEMS);
  }, [projects, found, questions, tasks, hits, text, words, pages]);
}

/** The pages of every project, and the other theme. */
function usePages(projects: readonly ProjectRow[], to: To, onClose: () => void): readonly Item[] {
  const words = useWords();
  const [, isDark, setTheme] = useTheme();
  return useMemo(() => {
    const of = (name: string) => (projects.length === 1 ? {} : { more: name });
    return [
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
  }, [projects, words, isDark]);
}
