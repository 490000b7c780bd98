"""The words that say nothing about a topic, in English and Chinese."""

_ENGLISH = """
    a about above across after afterwards again against all almost alone along already also although
    always am among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren't
    around as at away back be became because become becomes been before beforehand behind being below
    beside besides between beyond both but by can can't cannot could couldn't did didn't do does doesn't
    doing don't done down during each eight either else elsewhere enough etc even ever every everybody
    everyone everything everywhere except few first five for four from further get gets getting go goes
    going gone got had hadn't has hasn't have haven't having he he'd he'll he's hence her here here's hers
    herself him himself his how how's however i i'd i'll i'm i've if in indeed instead into is isn't it
    it'd it'll it's its itself just last latter least less let let's like likely made make makes many may
    maybe me meanwhile might more moreover most mostly much must mustn't my myself namely near neither
    never nevertheless next nine no nobody none nor not nothing now nowhere of off often oh on once one
    ones only onto or other others otherwise ought our ours ourselves out over own per perhaps please
    quite rather really said same say says second see seem seemed seems seven several shall she she'd
    she'll she's should shouldn't since six so some somebody somehow someone something sometimes somewhere
    still such take ten than that that's the their theirs them themselves then there there's thereby
    therefore these they they'd they'll they're they've thing things third this those though three through
    throughout thus to together too toward towards two under unless until up upon us use used uses using
    usually various very via was wasn't way we we'd we'll we're we've well were weren't what what's
    whatever when where whereas wherever whether which while who who's whoever whole whom whose why will
    with within without won't would wouldn't yes yet you you'd you'll you're you've your yours yourself
    yourselves
"""

_CHINESE = """
    的 了 是 在 和 与 及 或 而 也 都 就 还 又 并 且 但 却 则 若 如 因 由 从 自 向 往 对 于 以 为 被 把 将
    让 给 使 令 我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 咱们 大家 谁 什么 哪 哪个 哪里 哪些 怎么
    怎样 怎么样 如何 为什么 多少 几 这 那 这个 那个 这些 那些 这里 那里 这样 那样 这种 那种 这么 那么 此
    该 其 其他 其它 其中 另 另外 某 某些 每 各 各种 本 有 没 没有 不 不是 不会 不能 不要 未 无 非 别 很 太
    更 最 较 比较 非常 十分 挺 极 真 只 只是 只有 仅 仅仅 才 再 已 已经 曾 曾经 正 正在 将要 会 能 能够 可
    可以 可能 应 应该 应当 要 需要 必须 想 得 地 着 过 吗 呢 吧 啊 呀 哦 嘛 啦 哈 嗯 因为 所以 因此 由于
    如果 假如 要是 虽然 尽管 但是 可是 然而 不过 而且 并且 或者 以及 还是 还有 于是 然后 接着 同时 此外
    例如 比如 等 等等 之 之后 之前 之间 以后 以前 以上 以下 以外 以内 后来 后 前 里 中 上 下 内 外 时 时候
    当 当时 现在 目前 一 二 三 四 五 六 七 八 九 十 两 个 一个 一些 一种 一样 一下 一直 一般 一次 一点 些
    种 次 位 件 条 只要 不仅 不但 不同 来 去 到 做 说 看 让 用 使用 进行 通过 根据 按照 关于 对于 有关
    成为 作为 出 起 起来 出来 上面 下面 其实 就是 也是 都是 即 即使 便 与其 既 既然 无论 不管 除了 直到 至
    至于 甚至 所 所有 任何 许多 很多 多 少 大 小 好 新 点 月 日 年
"""

ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
CHINESE_STOP_WORDS = frozenset(_CHINESE.split())
