import { basename } from "node:path";
import type { Entry, Line, Project, RootId, TreeEvent } from "@colloquy/library";
import type { DialogEntry, Listening, ProjectAccess } from "./project-access.ts";

/** A project that this process holds. `drivesAll`: it drives all pending work. */
export function ownAccess(project: Project, drivesAll: boolean): ProjectAccess {
  // A list shows pending work. Only the process that lists it holds the project, so unless it drives the work, nobody does.
  const listed = (entry: Entry): DialogEntry => ({
    ...entry,
    state: entry.state === "working" && !drivesAll ? "interrupted" : entry.state,
  });
  return {
    dir: project.dir,
    name: basename(project.dir),
    get team() {
      return project.agents.members();
    },
    get notices() {
      return project.costNotices();
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
        // An unreadable dialog is reported, and doesn't stop the others from resuming.
        for (const task of project.tasks.list({ status: "in_progress" })) for (const dialog of task.dialogs) await project.takeUp(dialog);
        await project.tasks.run();
      },
    },
    createDialog: (given) => project.dialogs.create(given),
    send: (where, message) => project.dialogs.send(where, message),
    acknowledgements: (where, message) => project.dialogs.acknowledgements(where, message),
    stop: (where, how) => project.dialogs.stop(where, how),
    resume: (where) => project.dialogs.resume(where),
    done: (where) => project.dialogs.done(where),
    archive: (where) => project.dialogs.archive(where),
    delete: (where) => project.dialogs.delete(where),
    fork: async (where, how) => (await project.dialogs.fork(where, how)).id,
    compare: (one, other) => project.dialogs.compare(one, other),
    export: (where) => (where === undefined ? project.dialogs.exportAll() : project.dialogs.export(where)),
    backup: (query) => project.backup(query),
    import: (path) => project.import(path),
    undo: (call) => project.dialogs.undo(call),
    dead: (where) => project.dialogs.dead(where),
    clearMind: (where, how) => project.dialogs.clearMind(where, how),
    changeMind: (where, selector, content) => project.dialogs.changeMind(where, selector, content),
    phase: (where, phase, how) => project.dialogs.setPhase(where, phase, how),
    taskdoc: (where) => project.dialogs.taskdoc(where),
    remind: (where, content) => project.dialogs.addReminder(where, content),
    changeReminder: (where, reminder, content) => project.dialogs.changeReminder(where, reminder, content),

    questions: (which) => project.questions.list(which),
    question: (id) => project.questions.get(id),
    ask: (question) => project.questions.ask(question),
    answer: (id, input) => project.questions.answer(id, input),
    dismiss: (id, how) => project.questions.dismiss(id, how),
    askBack: (id, content) => project.questions.askBack(id, content),
    approve: (id, how) => project.questions.approve(id, how),
    deny: (id, how) => project.questions.deny(id, how),
    openNotices: async () => (await project.notifications.list({ status: "open", kind: "notice", limit: Infinity })).items,
    dismissNotice: (id) => project.notices.dismiss(id),
    grants: async () => project.grants.list(),
    revokeGrant: (id) => project.grants.revoke(id),
    spentDay: async () => project.spentDay(),

    dialogs: async (query) => project.dialogs.list(query).map(listed),
    entry: async (rootId) => {
      const entry = project.dialogs.entry(rootId);
      return entry && listed(entry);
    },
    damageOf: ({ rootId }) => project.dialogs.damageOf(rootId),
    view: (where) => project.dialogs.view(where),
    tree: (rootId) => project.dialogs.tree(rootId),
    locate: (digits, limit) => project.locate(digits, limit),
    lastWords: (rootId) => project.dialogs.lastReply(rootId),
    search: async (text, limit) => (await project.search(text, { limit, whole: true })).hits,
    effects: (query) => project.effects.list({ ...query, whole: true }),
    unsettled: async () => project.effects.unsettled(),
    settle: (call, as, note) => project.effects.settle(call, as, { note }),
    usage: (by) => project.usage(by),

    events: (rootId, after) => project.dialogs.events(rootId, after),
    follow: (rootId, after, signal) => project.dialogs.follow(rootId, after, signal),
    onLive: (listener) => project.onLive(listener),
    listen: (rootId, after, onLine) => (onLine ? followed(project, rootId, after ?? 0, onLine) : { end: async () => undefined }),
    takeUp: (rootId) => project.takeUp(rootId),
    quiet: async (rootId) => void (await project.dialogs.quiet(rootId)),
    nodes: () => project.nodes(),
  };
}

/** Live text arrives anyway; this is for recorded events. */
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
    for await (const line of project.dialogs.follow(rootId, after, ending.signal)) tell(line);
    // The last lines may have come together with the end.
    for (const line of await project.dialogs.events(rootId, told)) tell(line);
  })();
  return {
    async end() {
      ending.abort();
      await following;
    },
  };
}
