/** The tree viewed last; `g l` opens its timeline from any page. */
let last: { readonly projectId: string; readonly dialogId: string } | undefined;

export const lastTree = () => last;

export function rememberTree(projectId: string, dialogId: string): void {
  last = { projectId, dialogId };
}
