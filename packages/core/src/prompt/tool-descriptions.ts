import type { BuiltinTool, inputHints } from "@colloquy/schema";
import type { Language } from "../texts/texts.ts";

/** What a model reads about each built-in tool, in the project's language. */
export const toolDescriptions: Readonly<Record<Language, Readonly<Record<BuiltinTool, string>>>> = {
  en: {
    tellaskBack:
      "Asks the one who gave you this assignment, and waits for the answer. Use it when context is missing or a goal cannot be met as stated.",
    tellask: "Asks another agent in a session that remembers, by its name; continues it if it is known. Waits for the answer.",
    tellaskSessionless: "Asks another agent once, in a new side dialog. Waits for the answer.",
    freshBootsReasoning: "Lets a fresh mind of your own, without tools and history, think about what you write. Waits for the answer.",
    delegate: "Gives work to several agents at once. You get each response as it comes, or all together (wait: all).",
    askHuman: "Asks a person and waits, for weeks if necessary. The reader sees only what you write here.",
    ask: "The same as askHuman.",
    cancel_asks:
      "Cancels what you wait for: the given calls, or all open asks, questions and approvals of this turn. When somebody asks you back, also what you were waiting for meanwhile.",
    clear_mind:
      "Starts a new course: earlier messages are no longer shown; reminders, open asks and the Taskdoc stay. Write down what matters first.",
    add_reminder: "Keeps a note for yourself that stays when your mind is cleared.",
    update_reminder: "Replaces a reminder by its number.",
    delete_reminder: "Removes a reminder by its number.",
    set_phase:
      "Sets the phase of this dialog from now on: chat, brainstorm, plan, execute, verification, chores or reflection. The same phase with a summary is a hand-off.",
    mark_done: "Marks this dialog as done. Refused while anything else in it is open.",
    change_mind:
      "Replaces one section of the Taskdoc (goals, constraints or progress), which the whole team reads. Refused when it changed since you saw it.",
    remember: "Keeps a Markdown file in the team's memory or your own, for all dialogs to come. Replaces what is there.",
    forget: "Removes a file from memory.",
    recall: "Reads a file of the memory in full.",
    create_task: "Creates a task for the team. Refused while a question about its origin is open.",
    update_task: "Changes a task's title, description or dependencies, or closes it.",
    create_plan: "Creates the tasks of a plan at once, all or none, each with its dependencies.",
    update_prd: "Replaces one section of the requirements, prd/<sectionKey>.md. Refused when it changed since you saw it.",
    record_decision: "Records an architecture decision: what was decided and why, and what else was considered.",
    read_result: "Reads the rest of a long result that was cut: give the call and the character that the cut names.",
    end_session:
      "Ends a session (targetAgentId, sessionSlug) or another side dialog (dialogId) that you asked and no longer need: its work is cancelled, and the session's name is free. Refused while somebody else waits for it.",
    revise_question: "Changes the question that a person has asked back about.",
    withdraw_question: "Withdraws the question.",
  },
  zh: {
    tellaskBack: "向请托你的一方回问，并等待回答。缺少背景，或目标无法照原样达成时使用。",
    tellask: "在有记忆的会话中请托另一个智能体；会话名已有时即继续该会话。等待回答。",
    tellaskSessionless: "一次性请托另一个智能体，在新的子对话中进行。等待回答。",
    freshBootsReasoning: "扪心自问：让没有工具、没有历史的另一个你就你写下的内容思考。等待回答。",
    delegate: "同时向几个智能体请托。回复可逐个送达，也可全部到齐后一起送达（wait: all）。",
    askHuman: "向人提问并等待，必要时等上数周。读者只看到你写在这里的内容。",
    ask: "同 askHuman。",
    cancel_asks: "取消你在等待的事项：指定的调用，或本回合所有未结的请托、提问和审批。有人回问你时，也包括你其间在等待的事项。",
    clear_mind: "开始新的一程：之前的消息不再显示；提醒项、未结的请托和任务文档保留。请先写下要点。",
    add_reminder: "给自己留一条提醒项，思路清空后仍然保留。",
    update_reminder: "按编号改写一条提醒项。",
    delete_reminder: "按编号删除一条提醒项。",
    set_phase:
      "设定本对话此后的阶段：chat（交谈）、brainstorm（构思）、plan（计划）、execute（执行）、verification（验证）、chores（杂务）或 reflection（回顾）。阶段不变而带有 summary 即为交接。",
    mark_done: "将本对话标记为完成。对话中还有未结事项时会被拒绝。",
    change_mind: "改写任务文档的一个部分（goals 目标、constraints 约束或 progress 进展），整个团队都会阅读。你看过之后若有改动则被拒绝。",
    remember: "在团队记忆或你自己的记忆中保存一个 Markdown 文件，供今后所有对话使用。已有的同名文件会被替换。",
    forget: "从记忆中删除一个文件。",
    recall: "完整阅读记忆中的一个文件。",
    create_task: "为团队创建任务。其来源还有未答的提问时会被拒绝。",
    update_task: "修改任务的标题、说明或依赖，或关闭任务。",
    create_plan: "一次创建计划中的所有任务（要么全部创建，要么都不创建），并写明各自的依赖。",
    update_prd: "改写需求文档的一节，即 prd/<sectionKey>.md。你看过之后若有改动则被拒绝。",
    record_decision: "记录一项架构决策：决定了什么、理由，以及考虑过的其他方案。",
    read_result: "阅读被截断的长结果的其余部分：给出截断处写明的调用和字符位置。",
    end_session:
      "结束你请托过而不再需要的会话（targetAgentId、sessionSlug）或其他子对话（dialogId）：其工作取消，会话名可再次使用。还有别人在等它时会被拒绝。",
    revise_question: "修改有人回问的那个提问。",
    withdraw_question: "撤回该提问。",
  },
};

/** The hints on the inputs of built-in tools, in Chinese. */
export const chineseHints: Readonly<Record<keyof typeof inputHints, string>> = {
  question: "第一行是标题；然后用两句话说明情况，写明要做的决定，以及每个选项的后果。读者只看到这些内容。",
  choices: "两到五个真实的选项，各自写明利弊。",
  otherwise: "没有人按时回答时你将采用的选项的标签。",
  agent: "智能体的 id 或名字",
  handOff: "其他人从这里继续所需知道的内容，会在他们下次发言之前显示。",
  task: "任务的 id，或其末六位",
  planKey: "它在计划中的名字",
  dependsOn: "本计划中的 key，或任务的 id",
  decision: "决定了什么，为什么。",
  alternatives: "还考虑过什么，为何没有采用。",
  sideDialog: "子对话的 id，或其末六位",
};
