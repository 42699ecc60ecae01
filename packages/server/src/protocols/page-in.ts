/** The pages of a project's questions. */
export const pageIn =
  (pageUrl: () => string, project: string) =>
  (question: string): string =>
    `${pageUrl()}/p/${encodeURIComponent(project)}/q/${question}`;
