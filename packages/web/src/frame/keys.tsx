import { Modal } from "../parts/modal.tsx";
import { useWords } from "../state/appearance.ts";
import type { Route } from "../state/router.ts";

/** The shortcuts of the current page. */
export function Keys({ route, onClose }: { readonly route: Route; readonly onClose: () => void }) {
  const { keys } = useWords();
  const words = useWords();
  const everywhere: readonly (readonly [string, string])[] = [
    ["g i · g d · g t · g l · g a", keys.go],
    ["n", keys.newDialog],
    ["/", keys.find],
    ["Ctrl K", keys.everything],
    ["Esc", keys.leave],
  ];
  const here: Partial<Record<Route["page"], readonly (readonly [string, string])[]>> = {
    inbox: [
      ["j k ↓ ↑", keys.next],
      ["1 … 9", keys.choose],
      ["r", keys.write],
      ["Ctrl Enter", keys.send],
      ["b", keys.askBack],
      ["h", keys.later],
      ["x", keys.same],
      ["a", keys.approve],
      ["A", keys.always],
      ["d", keys.deny],
      ["c", keys.change],
      ["o", keys.where],
      [".", keys.showNew],
      ["z", keys.correct],
      ["[ ]", keys.answered],
      ["e", keys.putAway],
    ],
    dialogs: [["j k ↓ ↑", keys.next]],
    activity: [["j k ↓ ↑", keys.next]],
    tasks: [
      ["← → ↑ ↓", keys.cards],
      ["n", keys.newTask],
    ],
    task: [["n", keys.newTask]],
    dialog: [
      ["n p", keys.jump],
      ["u", keys.up],
      ["r", keys.write],
    ],
    timeline: [
      ["t", keys.fold],
      ["c", keys.critical],
      ["+ − 0", keys.zoom],
      ["← → ↑ ↓", keys.lanes],
    ],
  };
  return (
    <Modal title={words.keys.title} onClose={onClose} isWide>
      <dl className="grid gap-x-8 gap-y-2 sm:grid-cols-2">
        {[...(here[route.page] ?? []), ...everywhere].map(([key, does]) => (
          <div key={key} className="flex items-baseline gap-3">
            <dt className="w-28 shrink-0">
              <kbd>{key}</kbd>
            </dt>
            <dd className="text-muted">{does}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
