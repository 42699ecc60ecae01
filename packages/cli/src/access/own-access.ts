import { basename } from "node:path";
import type { Entry, Line, Project, RootId, TreeEvent } from "@colloquy/library";
import type { DialogEntry, Listening, ProjectAccess } from "./project-access.ts";

/** A project that this process holds. `drivesAll`: and everything in it is at work that can be. */
export function ownAccess(project: Project, drivesAll: boolean): ProjectAccess {
  // A list knows that there is work to do. Unless we drive it, nobody does: whoever looks at the list holds the project alone.
  const listed = (entry: Entry): DialogEntry => ({
    ...entry,
    state: entry.state === "working" && !drivesAll ? "interrupted" : entry.state,
  });
  return {
    dir: project.dir,
    name: basename(project.dir),
    get team() {
      return project.team.members();
    },
    get notices() {
      return project.notices();
    },
    isServed: false,

    tasks: {
      list: async (query) => project.tasks.list(query),
      ready: async () => project.tasks.ready(),
      get: async (id) => project.tasks.get(id),
      autonomy: (id) => project.tasks.autonomy(id),
      create: (given) => project.tasks.create(given),
      update: (id, change) => project.tasks.update(id, change),
      async run() {
        // One that cannot be read is reported, and keeps no other from being taken up.
        for (const task of project.tasks.list({ status: "in_progress" })) for (const dialog of task.dialogs) await project.takeUp(dialog);
        await project.tasks.run();
      },
    },
    createDialog: (given) => project.createDialog(given),
    send: (where, message) => project.send(where, message),
    acknowledgements: (where, message) => project.acknowledgements(where, message),
    stop: (where, how) => project.stop(where, how),
    resume: (where) => project.resume(where),
    done: (where) => project.done(where),
    archive: (where) => project.archive(where),
    dead: (where) => project.dead(where),
    clearMind: (where, how) => project.clearMind(where, how),
    changeMind: (where, selector, content) => project.changeMind(where, selector, content),
    phase: (where, phase, how) => project.phase(where, phase, how),
    taskdoc: (where) => project.taskdoc(where),
    remind: (where, content) => project.remind(where, content),
    changeReminder: (where, reminder, content) => project.changeReminder(where, reminder, content),

    questions: (which) => project.questions(which),
    question: (id) => project.question(id),
    answer: (id, input) => project.answer(id, input),
    dismiss: (id, how) => project.dismiss(id, how),
    askBack: (id, content) => project.askBack(id, content),
    approve: (id, how) => project.approve(id, how),
    deny: (id, how) => project.deny(id, how),
    openNotices: async () => (await project.notifications({ status: "open", kind: "notice", limit: Infinity })).items,
    resolveNotice: (id) => project.resolveNotice(id),
    grants: async () => project.grants(),
    revokeGrant: (id) => project.revokeGrant(id),
    spentDay: async () => project.spentDay(),

    dialogs: async (query) => project.dialogs(query).map(listed),
    entry: async (rootId) => {
      const entry = project.entry(rootId);
      return entry && listed(entry);
    },
    damageOf: ({ rootId }) => project.damageOf(rootId),
    view: (where) => project.view(where),
    tree: (rootId) => project.tree(rootId),
    locate: (digits, limit) => project.locate(digits, limit),
    lastWords: (rootId) => project.lastWords(rootId),
    search: async (text, limit) => (await project.search(text, { limit, whole: true })).hits,
    usage: (by) => project.usage(by),

    events: (rootId, after) => project.events(rootId, after),
    follow: (rootId, after, signal) => project.follow(rootId, after, signal),
    onLive: (listener) => project.onLive(listener),
    listen: (rootId, after, onLine) => (onLine ? followed(project, rootId, after ?? 0, onLine) : { end: async () => undefined }),
    takeUp: (rootId) => project.takeUp(rootId),
    quiet: async (rootId) => void (await project.quiet(rootId)),
  };
}

/** Whatever is said is heard anyway; this is for what is recorded. */
function followed(project: Project, rootId: RootId, after: number, onLine: (line: Line<TreeEvent>) => void): Listening {
  const ending = new AbortController();
  let told = after;
  const tell = (line: Line<TreeEvent>) => {
    const news = line.events.slice(Math.max(0, told + 1 - line.seq));
    if (news.length === 0) return;
    onLine({ ...line, seq: line.seq + line.events.length - news.length, events: news });
    told = line.seq + line.events.length - 1;
  };
  const following = (async () => {
    for await (const line of project.follow(rootId, after, ending.signal)) tell(line);
    // The last lines may have come together with the end.
    for (const line of await project.events(rootId, told)) tell(line);
  })();
  return {
    async end() {
      ending.abort();
      await following;
    },
  };
}
