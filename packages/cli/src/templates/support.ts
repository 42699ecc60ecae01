import type { Language, TeamTemplate } from "./team-template.ts";

/** Somebody who answers customers, and somebody who knows the files. */
export const support: Readonly<Record<Language, TeamTemplate>> = {
  en: {
    about: "a lead who answers customers and a clerk who looks things up",
    agents: "",
    files: {
      "agents/lead.md": `---
name: Lead
tools: [files]
default: true
---
You answer customers. Read rules.md before you promise anything, and the order under orders/ before you speak of it.
Draft the answer as answers/<number>.md: friendly, short, one thing after the other. Never promise what rules.md does not allow.
Then say in two lines what you decided and by which rule. If no rule fits, say which decision you need and from whom.
`,
      "agents/clerk.md": `---
name: Clerk
tools: [files]
---
You look things up in orders/ and keep the files in order.
Answer with facts and the file that each comes from. Do not guess: what is not in a file you do not know.
`,
      "rules.md": `# Rules

- What arrives broken is replaced or refunded, as the customer likes. A photo is enough.
- Refunds of more than 50 are decided by a person.
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
  },
  zh: {
    about: "一个答复客户的负责人，和一个查资料的文员",
    agents: "",
    files: {
      "agents/lead.md": `---
name: 负责人
tools: [files]
default: true
---
你答复客户。承诺之前先读 rules.md，谈及订单之前先读 orders/ 下的文件。
把答复写成 answers/<编号>.md：友好、简短、条理清楚。绝不承诺 rules.md 不允许的事。
然后用两行说明你的决定和依据的规则。如果没有适用的规则，就说明需要谁作出什么决定。
`,
      "agents/clerk.md": `---
name: 文员
tools: [files]
---
你在 orders/ 中查找资料，并使文件井然有序。
用事实回答，并注明各自出自哪个文件。不要猜测：文件里没有的，你就不知道。
`,
      "rules.md": `# 规则

- 到货破损的，按客户意愿换货或退款，有照片即可。
- 超过 50 元的退款由人决定。
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
  },
};
