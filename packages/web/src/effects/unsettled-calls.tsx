import { useApi, useDialogs, useProject, useProjects } from "@colloquy/react";
import { Link } from "../parts/link.tsx";
import { useLanguage, useWords } from "../state/appearance.ts";
import { moment } from "../state/duration.ts";
import { useNow } from "../state/now.ts";
import { useFetched } from "../state/use-fetched.ts";
import { SettleButtons } from "./settle-buttons.tsx";

/** Calls whose outcome nobody knows, at the top of the inbox until somebody settles them. */
export function UnsettledCalls() {
  return useProjects()?.map(({ id }) => <InProject key={id} projectId={id} />);
}

function InProject({ projectId }: { readonly projectId: string }) {
  const words = useWords().effects;
  const [language] = useLanguage();
  const now = useNow(60_000);
  const api = useApi(projectId);
  const { agentName } = useProject(projectId);
  const { rows } = useDialogs(projectId);
  const changed = rows?.flatMap(({ unsettled = [] }) => unsettled.map(({ call }) => call)).join();
  const [list] = useFetched(() => api.effects.list({ outcome: "unknown" }), [api, changed]);
  if (!list || list.effects.length === 0) return null;
  return (
    <ul aria-label={words.unknownTitle} className="border-b border-line bg-sunken">
      {list.effects.map(({ call, tool, what, agentId, selfId, at }) => (
        <li key={call} className="flex flex-col gap-1.5 border-b border-line px-4 py-3 last:border-0">
          <Link to={{ page: "dialog", projectId, dialogId: selfId }} className="flex items-baseline gap-2 hover:underline">
            <span aria-hidden="true" className="w-4 shrink-0 text-center font-semibold text-await">
              ?
            </span>
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">{tool}</span> <code className="text-[13px]">{what}</code>
            </span>
          </Link>
          <p className="pl-6 text-xs text-muted">{words.unknownAbout(agentName(agentId), moment(Date.parse(at), now, language))}</p>
          <SettleButtons projectId={projectId} call={call} />
        </li>
      ))}
    </ul>
  );
}
