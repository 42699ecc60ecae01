import { useActions, useApi, useConnection } from "@colloquy/react";
import { useWords } from "../../state/appearance.ts";
import { useFetched } from "../../state/use-fetched.ts";
import { Line, Section } from "./section.tsx";

/** Calls that were approved for more than once, to be revoked. */
export function Grants({ projectId }: { readonly projectId: string }) {
  const words = useWords();
  const api = useApi(projectId);
  const { role } = useConnection();
  const { grants: grantActions } = useActions(projectId);
  const [grants, reload] = useFetched(async () => (await api.grants.list()).grants, [api]);
  const revoke = async (id: string) => {
    await grantActions.revoke(id);
    await reload();
  };
  return (
    <Section title={words.setup.grants}>
      {grants?.length === 0 && <Line>{words.setup.noGrants}</Line>}
      {grants?.map((grant) => (
        <Line key={grant.id}>
          <span className="min-w-0 flex-1 font-mono text-[13px]">{grant.pattern}</span>
          <span className="text-xs text-muted">{grant.by}</span>
          {role === "owner" && (
            <button type="button" className="button" onClick={() => revoke(grant.id)}>
              {words.setup.revoke}
            </button>
          )}
        </Line>
      ))}
    </Section>
  );
}
