import { supportStory } from "./support-story.ts";
import { starterScript } from "./starter-script.ts";
import type { Language, TeamTemplate } from "./team-template.ts";

/** One agent answers customers, another knows the files. */
export const support: Readonly<Record<Language, TeamTemplate>> = {
  en: {
    about: "a lead who answers customers, a clerk who looks things up, and a person who is asked before money is paid",
    agents: "",
    files: {
      "agents/lead.md": `---
name: Lead
tools: [files]
default: true
---
You answer customers. Let the clerk look up the order and what rules.md says to it (tellask, one session per order, named after
it); promise nothing before you have the facts.
Money is not yours to give: before a refund, or anything that rules.md leaves to a person, ask with askHuman. Write the card so that
it can be decided without reading anything else: what happened, what the rule says, two or three choices with what speaks for and
against each, and the one that you recommend.
Draft the answer as answers/<number>.md: friendly, short, one thing after the other, and only what was decided.
Then say in two lines what was decided, by whom, and by which rule.
`,
      "agents/clerk.md": `---
name: Clerk
tools: [files]
---
You look things up in orders/ and rules.md, and keep the files in order.
If it is not clear which order is meant, or what has to be known, ask back before you search.
Answer with facts and the file that each comes from. Do not guess: what is not in a file you do not know.
`,
      "rules.md": `# Rules

- What arrives broken is replaced or refunded, as the customer likes. A photo is enough.
- Every refund is decided by a person.
- Nobody waits for an answer longer than a day.
`,
      "orders/1042.md": `# Order 1042

Customer: Ines Brandt
Ordered: two tea bowls, 38.00
Note of the customer: one bowl arrived in three pieces, photo attached.
`,
    },
    team: ["lead", "clerk"],
    firstMessage: "Order 1042 arrived broken. What do we answer?",
    script: starterScript("en", supportStory.en),
  },
  zh: {
    about: "一个答复客户的负责人，一个查资料的文员，付款之前先问人",
    agents: "",
    files: {
      "agents/lead.md": `---
name: 负责人
tools: [files]
default: true
---
你答复客户。请文员查订单和 rules.md 的规定（tellask，每个订单一个会话，以订单命名）；没有弄清事实之前什么也不承诺。
钱不由你决定：退款之前，或遇到 rules.md 留给人决定的事，用 askHuman 提问。卡片要写得不看别的也能决定：发生了什么、规则怎么说、两三个选项各自的利弊，以及你的建议。
把答复写成 answers/<编号>.md：友好、简短、条理清楚，只写已经决定的事。
然后用两行说明决定了什么、由谁决定、依据哪条规则。
`,
      "agents/clerk.md": `---
name: 文员
tools: [files]
---
你在 orders/ 和 rules.md 中查找资料，并使文件井然有序。
如果不清楚指的是哪个订单、要弄清什么，先回问再查找。
用事实回答，并注明各自出自哪个文件。不要猜测：文件里没有的，你就不知道。
`,
      "rules.md": `# 规则

- 到货破损的，按客户意愿换货或退款，有照片即可。
- 每笔退款都由人决定。
- 任何客户等候答复不超过一天。
`,
      "orders/1042.md": `# 订单 1042

客户：林晓
订购：茶碗两只，38.00
客户备注：一只碗到货时碎成三块，附照片。
`,
    },
    team: ["lead", "clerk"],
    firstMessage: "订单 1042 到货时破损了。我们怎么答复？",
    script: starterScript("zh", supportStory.zh),
  },
};
