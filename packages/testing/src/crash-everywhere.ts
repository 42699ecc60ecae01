import type { CrashPoint } from "./crashing-store.ts";
import { type TestOptions, TestProject } from "./test-project.ts";

/** Opens the project of a story. Like `testProject`, but it crashes once at some point. */
export type Open = (options: TestOptions) => Promise<TestProject>;

/**
 * Plays a story once without a crash, then repeatedly with a crash before and after each of its commits. The story's expectations must hold
 * every time. Create the outside world (a bank, a mailbox) within the story, so that each run has its own.
 */
export async function crashEverywhere(
  story: (open: Open) => Promise<unknown>,
): Promise<{ readonly commits: number; readonly runs: number }> {
  const commits = await play(story, undefined);
  let runs = 1;
  for (let nth = 1; nth <= commits; nth++) {
    for (const when of ["before", "after"] as const) {
      runs += 1;
      await play(story, { nth, when }).catch((cause: unknown) => {
        const what = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`With a crash ${when} commit ${nth} of ${commits}: ${what}`, { cause });
      });
    }
  }
  return { commits, runs };
}

async function play(story: (open: Open) => Promise<unknown>, point: CrashPoint | undefined): Promise<number> {
  const opened: TestProject[] = [];
  await story(async (options) => {
    const project = new TestProject(options);
    await project.open(opened.length === 0 ? point : undefined);
    opened.push(project);
    return project;
  });
  const [first] = opened;
  if (!first) throw new Error("The story opened no project: it is given the way to open one as its argument.");
  const { commits } = first;
  for (const project of opened) await project.close();
  return commits;
}
