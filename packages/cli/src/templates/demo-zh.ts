import { demoLetter, type DemoStory } from "./demo-story.ts";

const slowMessage = "把所有订单慢慢查一遍";

/** 演示的中文版：情节与英文版相同。 */
export const zhDemo: DemoStory = {
  message: "订单 1042 到货时碎了，客户很不高兴。怎么办？",
  files: {
    "colloquy.yaml": `# 三个智能体的团队。模型是脚本 scripts/demo.yaml：无须密钥，不用网络，没有费用。
language: zh
defaults: { model: scripted/demo }

agents:
  lead:
    name: 负责人
    role: |
      你答复一家小陶坊的客户。订单和规则请文员查，能做什么请陶匠看，两件事同时进行。知道我们给出什么补偿之后，
      把信写进 answers/。
    tools: [files]
    default: true
  clerk:
    name: 文员
    role: |
      你查资料：orders/ 和 rules.md。用事实答复。不明白所指时就回问。
    tools: [files]
  potter:
    name: 陶匠
    role: |
      你知道能做什么、什么时候能做好；kiln.md 里有窑期。要花掉我们一窑的事不归你决定：问人，写明选项和各自的利弊。
    tools: [files]
`,
    "rules.md": `# 店里的规矩

- 到货破损的，按客户意愿换货或退款，有照片即可。
- 超过 50 的退款由人决定。
- 不让任何人等答复超过一天。
`,
    "kiln.md": `# 窑

- 星期五：第二窑，还放得下两只碗。满窑不多花钱，加烧一窑要 60。
- 下一窑：两个星期后。
`,
    "orders/1041.md": `# 订单 1041

客户：周航
所订：大花瓶一只，74.00
星期一发货，星期三到货。已付款。
`,
    "orders/1042.md": `# 订单 1042

客户：林晓
所订：茶碗两只，38.00
客户留言：一只碗到货时碎成三块，附有照片。这是送人的礼物。
`,
    "orders/1043.md": `# 订单 1043

客户：田美
所订：小盘六只，96.00
尚未发货：等第二窑。
`,
    "scripts/demo.yaml": `# 三个智能体想什么、说什么、做什么。每一步采用第一条相符的规则；改一改，看看会怎样。
description: 小陶坊的负责人、文员和陶匠
speed: 40   # 每秒字数

rules:
  # 碎了的碗。负责人同时问两个人，等到两人都答复。
  - when: { agent: lead, step: 1, text: "/碎|1042/" }
    times: 1
    do:
      - think: "有人不高兴了。订了什么、规矩怎么说，文员清楚；能不能重做，陶匠清楚。"
      - say: "先同时问两件事，然后我给她写信。"
      - call:
          tool: delegate
          input:
            wait: all
            delegations:
              - { recipient: clerk, prompt: "订单 1042 订了什么，出了什么事，按规矩可以怎么办？" }
              - { recipient: potter, prompt: "订单 1042 的碗能重做吗，最迟什么时候？" }

  # 文员查资料，答复之前先回问。
  - when: { agent: clerk, step: 1 }
    times: 1
    do:
      - call: { tool: read_file, input: { path: orders/1042.md } }
      - call: { tool: read_file, input: { path: rules.md } }
  - when: { agent: clerk, result: read_file }
    times: 1
    do:
      - think: "订了两只碗，碎了一只。这可以有两种理解。"
      - call: { tool: tellaskBack, input: { tellaskContent: "两只碗碎了一只。说的是一只，还是一对？" } }
  - when: { agent: lead, text: "/回问/" }
    times: 1
    do: { say: "一对：这是礼物，一新一旧放在一起不好看。" }
  - when: { agent: clerk, result: tellaskBack }
    times: 1
    do:
      - say: |
          林晓订了两只茶碗，共 38.00，是送人的礼物。一只到货时碎成三块，照片已收到。
          我们的规矩：按客户意愿换货或退款。38.00 低于 50，退款不需要谁批准。

  # 陶匠看窑期，把决定留给人。
  - when: { agent: potter, step: 1 }
    times: 1
    do:
      - call: { tool: read_file, input: { path: kiln.md } }
  - when: { agent: potter, result: read_file }
    times: 1
    do:
      - think: "星期五还放得下两只碗。给不给她做，是钱和人情的事，不归我决定。"
      - call:
          tool: askHuman
          input:
            headline: "碎了一只碗，给林晓什么补偿？"
            tellaskContent: >
              两只茶碗（38.00，送人的礼物）到货时碎了一只。第二窑在星期五，还放得下两只碗；再下一窑要等两个星期。你一决定，负责人就给她写信。
            options:
              - { label: 重做一对, pros: [礼物还是礼物], cons: [要等到星期二], recommended: true }
              - { label: 退款, pros: [今天就办好], cons: [没有礼物了] }
              - { label: 两样都给, pros: [她会告诉朋友], cons: [搭上钱和碗] }
  - when: { agent: potter, text: "/回答：重做一对/" }
    times: 1
    do: { say: "重做一对：明天拉坯，星期五烧，星期二送到她手里。" }
  - when: { agent: potter, text: "/回答：退款/" }
    times: 1
    do: { say: "退款：什么都不用做，星期五窑里的位置空着。" }
  - when: { agent: potter, text: "/回答：两样都给/" }
    times: 1
    do: { say: "两样都给：星期二一对新碗送到，钱也退。" }
  - when: { agent: potter, text: "/回答：(?<what>.*)/" }
    times: 1
    do: { say: "照决定办：{{match.what}}" }
  - when: { agent: potter, result: askHuman }
    times: 1
    do: { say: "没有人决定，那就重做一对：星期五窑里还有位置。" }

  # 汇总：信里写的就是决定。
  - when: { agent: lead, text: [Delegation responses received, "/陶匠[：:] ?重做一对/"] }
    times: 1
    do:
      - say: "两人都答复了。我这就给她写信。"
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              林晓您好：

              碗碎了，又是礼物，我们非常抱歉。新的一对星期五入窑，星期二送到您手里。如果您更愿意退款，说一声就行。

              陶坊 敬上
  - when: { agent: lead, text: [Delegation responses received, "/陶匠[：:] ?退款/"] }
    times: 1
    do:
      - say: "两人都答复了。我这就给她写信。"
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              林晓您好：

              碗碎了，又是礼物，我们非常抱歉。38.00 今天就退给您。

              陶坊 敬上
  - when: { agent: lead, text: [Delegation responses received, "/陶匠[：:] ?两样都给/"] }
    times: 1
    do:
      - say: "两人都答复了。我这就给她写信。"
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              林晓您好：

              碗碎了，又是礼物，我们非常抱歉。38.00 今天就退给您，新的一对星期二送到：这次算我们送的。

              陶坊 敬上
  - when: { agent: lead, text: [Delegation responses received, "/陶匠[：:] ?(?<what>.*)/"] }
    times: 1
    do:
      - say: "两人都答复了。我这就给她写信。"
      - call:
          tool: write_file
          input:
            path: ${demoLetter}
            content: |
              林晓您好：

              碗碎了，又是礼物，我们非常抱歉。{{match.what}}

              陶坊 敬上
  - when: { agent: lead, result: write_file, seen: "/陶匠[：:] ?(?<what>.*)/" }
    times: 1
    do:
      - say: |
          给林晓的信在 ${demoLetter}。

          - 她得到什么：{{match.what}}
          - 依据哪条规矩：到货破损的，按客户意愿换货或退款；低于 50（文员）。
          - 谁决定的：你。

  # “${slowMessage}”：每步一个订单，中间有停顿。中途杀掉它，resume 从下一个订单继续。
  # times: 1 使这些规则在一个对话里各说一次。
  - when: { step: 1, text: 慢慢 }
    times: 1
    do:
      - think: "三个订单。我一个一个来，把看到的记下来。"
      - wait: 2s
      - say: "先看 1041。"
      - call: { tool: read_file, input: { path: orders/1041.md } }
  - when: { step: 2, seen: 慢慢 }
    times: 1
    do:
      - wait: 3s
      - say: "1041 已到货，已付款。接着看 1042。"
      - call: { tool: read_file, input: { path: orders/1042.md } }
  - when: { step: 3, seen: 慢慢 }
    times: 1
    do:
      - wait: 3s
      - say: "1042 碎了一只碗，得有人给她写信。接着看 1043。"
      - call: { tool: read_file, input: { path: orders/1043.md } }
  - when: { step: 4, seen: 慢慢 }
    times: 1
    do:
      - wait: 3s
      - say: "1043 在等第二窑。我都写下来。"
      - call: { tool: write_file, input: { path: report.md, content: "# 订单\\n\\n- 1041 已到货，已付款\\n- 1042 碎了一只碗，要给客户写信\\n- 1043 在等第二窑\\n" } }
  - when: { step: 5, seen: 慢慢 }
    times: 1
    do: { say: "三个都查过了，清单在 report.md。即使中途被杀掉过，从它也看不出来。" }

  # 有人就提问回问。
  - when: { agent: potter, text: "/回问/" }
    do: { say: "满窑不多花钱，加烧一窑要 60。泥料现成。" }

  # 任何订单：文件里写了什么。
  - when: { step: 1, text: "/104[123]/" }
    do:
      - say: "我查一下。"
      - call: { tool: read_file, input: { path: "orders/{{match.0}}.md" } }
  - when: { result: read_file }
    do:
      - say: |
          关于它只有这些：

          {{result}}

  # 其他情形。
  - do:
      - say: |
          我是脚本，只会说几句话，没有一句适合“{{text}}”。
          可以问我订单 1041、1042 或 1043，或者让我把所有订单慢慢查一遍。我的台词在 scripts/demo.yaml：请再写几句。
`,
  },
};
