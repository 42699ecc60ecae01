import type { QuestionView } from "@colloquy/schema";
import type { Door } from "./door.ts";
import { sharedOf, useDoor, useShared } from "./provider.ts";
import { Shared, soon } from "./shared.ts";
import { projectPath, projectsOf } from "./use-project.ts";
import { watchProjects } from "./watch-projects.ts";

/** A question and the project that it belongs to. */
export interface ProjectQuestion extends QuestionView {
  readonly projectId: string;
}

export interface Questions {
  /** Undefined until they are known. In the order of the server: what frees most work first. */
  readonly open: readonly ProjectQuestion[] | undefined;
  /** Those that were open a moment ago, as they ended. */
  readonly closed: readonly ProjectQuestion[];
  /** Who else has a question open, by its id. */
  readonly writers: Readonly<Record<string, readonly string[]>>;
}

const KEPT_CLOSED = 50;

function questionsOf(door: Door): Shared<Questions> {
  return sharedOf(door, "questions", () => {
    return new Shared<Questions>({ open: undefined, closed: [], writers: {} }, (self) => {
      const projects = projectsOf(door);
      const present = new Map<string, { readonly user: string; readonly questionId: string }>();

      const load = soon(async () => {
        const ids = projects.get()?.map(({ id }) => id);
        if (!ids) return;
        const lists = await Promise.all(
          ids.map(async (projectId) => {
            const { questions } = await door.read<{ questions: QuestionView[] }>(`${projectPath(projectId)}/questions?status=open`);
            return questions.map((question) => ({ ...question, projectId }));
          }),
        ).catch(() => undefined);
        if (!lists) return;
        const open = lists.flat();
        const before = self.get();
        const gone = (before.open ?? []).filter((one) => !open.some(({ id }) => id === one.id));
        const closed = await Promise.all(gone.map((one) => readQuestion(door, one.projectId, one.id).catch(() => undefined)));
        const known = closed.filter((one) => one !== undefined);
        self.set({ ...self.get(), open, closed: [...known, ...before.closed].slice(0, KEPT_CLOSED) });
      });

      return watchProjects(door, {
        hear: (packet) => {
          if (packet === "resync" || packet.type !== "presence") return load();
          if (packet.gone === true || packet.questionId === undefined || packet.writing !== true) present.delete(packet.client);
          else present.set(packet.client, { user: packet.user, questionId: packet.questionId });
          const writers: Record<string, string[]> = {};
          for (const { user, questionId } of present.values()) (writers[questionId] ??= []).push(user);
          self.set({ ...self.get(), writers });
        },
        load,
      });
    });
  });
}

/** Every open question of every project. */
export const useQuestions = (): Questions => useShared(questionsOf(useDoor()));

export async function readQuestion(door: Door, projectId: string, questionId: string): Promise<ProjectQuestion> {
  const question = await door.read<QuestionView>(`${projectPath(projectId)}/questions/${encodeURIComponent(questionId)}`);
  return { ...question, projectId };
}
