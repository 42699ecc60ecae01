import { type ReactNode, useId } from "react";
import { useWords } from "../../state/appearance.ts";
import { BoardCards } from "./board-cards.tsx";
import { TaskGlyph } from "../task-glyph.tsx";
import type { BoardState, Status } from "./use-board.ts";

interface Props {
  readonly board: BoardState;
  readonly status: Status;
  /** Its place on the board, for the arrow keys. */
  readonly column: number;
}

/** One column of the board with its cards. */
export function BoardColumn({ board, status, column }: Props) {
  const words = useWords();
  const { columns, tasks, hasMore } = board;
  const cards = { projectId: board.projectId, all: tasks ?? [], column };
  const shown = status === "open" ? [...columns.ready, ...columns.notReady] : columns[status];
  const hasMoreHere = status === "closed" && hasMore;
  return (
    <Column status={status} count={shown.length} hasMore={hasMoreHere} isLoading={tasks === undefined}>
      {status === "open" ? (
        (["ready", "notReady"] as const).map(
          (part) =>
            columns[part].length > 0 && (
              <div key={part} className="mb-3">
                <h3 className="px-1 pb-1.5 text-xs text-muted">{words.tasks[part]}</h3>
                <BoardCards {...cards} name={words.tasks[part]} tasks={columns[part]} />
              </div>
            ),
        )
      ) : (
        <BoardCards {...cards} name={words.tasks.columns[status]} tasks={shown} />
      )}
      {hasMoreHere && (
        <button type="button" className="button mt-2 w-full" onClick={board.more}>
          {words.loadMore}
        </button>
      )}
    </Column>
  );
}

function Column({
  status,
  count,
  hasMore,
  isLoading,
  children,
}: {
  readonly status: Status;
  readonly count: number;
  /** There are others that are not loaded. */
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly children: ReactNode;
}) {
  const words = useWords();
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-h-0 flex-col rounded-2xl max-sm:shrink-0 sm:bg-sunken">
      <h2
        id={id}
        className={`flex items-center gap-1.5 text-[13px] font-semibold sm:px-3 sm:pt-3 ${status === "blocked" && count > 0 ? "text-await" : ""}`}
      >
        <TaskGlyph status={status} isHidden />
        {words.tasks.columns[status]}
        <span className="ml-auto font-normal tabular-nums text-muted">{isLoading ? "" : `${count}${hasMore ? "+" : ""}`}</span>
      </h2>
      <div className="min-h-0 flex-1 pt-2 sm:overflow-y-auto sm:px-2 sm:pb-2">
        {children}
        {count === 0 && !isLoading && <p className="px-1 py-2 text-[13px] text-muted">{words.tasks.emptyColumn[status]}</p>}
      </div>
    </section>
  );
}
