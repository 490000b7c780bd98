"""The sentence patterns of the practice web, with a hole for each part a word can play."""

from msgspec import Struct


class Grammar(Struct, frozen=True):
    """The patterns of one language."""

    plain: tuple[str, ...]  # about a subject, without its name
    named: tuple[str, ...]  # about a subject, with its name
    passing: tuple[str, ...]  # about something else, with a topic's name
    stuffed: tuple[str, ...]  # saying nothing but the name
    headings: tuple[str, ...]
    lists: tuple[str, ...]  # headings of hubs, which give nothing away
    entries: tuple[str, ...]  # anchors on hubs, which give nothing away
    lures: tuple[str, ...]  # headings of keyword stuffers
    more: tuple[str, ...]  # anchors that say nothing
    authors: tuple[str, ...]
    seasons: tuple[str, ...]
    numbers: tuple[str, ...]
    home: str
    print: str
    ring: str
    stop: str  # what ends a sentence
    gap: str  # what stands between sentences


def lines(text: str) -> tuple[str, ...]:
    """Return the lines of a text without their indentation."""
    return tuple(line.strip() for line in text.strip().splitlines())


ENGLISH = Grammar(
    plain=lines("""
        In {season} the {person} should {do} before the {stuff} runs short
        {a_quality} {thing} is worth more than {number} new {things}
        Most {people} {do} once a week and look at every {thing} twice
        We {did}, and still the {stuff} was not what we had hoped for
        Nobody told us that {a_quality} {thing} can spoil the {stuff}
        The {person} next door {did} and asked for {number} {things} in return
        Start with the {thing}, leave the {stuff} alone, and {do} last
        If the {thing} looks {quality}, {do} before {season} comes
        Good {stuff} needs time, and {quality} {things} need even more of it
        My notes from last {season} mention {number} {things} and very little {stuff}
        It took {number} {people} to {do} after the storm
        Without {stuff} the {things} are not worth much
        An old {person} showed us how to {do} without wasting the {stuff}
        Keep the {stuff} away from the {thing} until it is time to {do}
        What separates {a_quality} {thing} from a poor one is the {stuff}
        By the end of {season} we had {number} {things} and no {stuff} left
        Some {people} swear by {stuff}; others would rather {do}
        The first {thing} that I ever saw was far too {quality}
        Between the {thing} and the {stuff} there must always be some room
        Ask any {person} about {quality} {things} and take a chair
        On {number} mornings in {season} we {did} and wrote everything down
        Nobody should {do} alone, said the {person}, and least of all in {season}
    """),
    named=lines("""
        Anyone new to {name} should begin with one {thing} and a little {stuff}
        Where {name} is concerned, the {stuff} matters more than the {thing}
        Our {season} course in {name} is open to every {person}
        Forty years of {name} have taught us to {do} in good time
        The best book on {name} has a whole chapter about {things}
    """),
    passing=lines("""
        Somebody at the next table talked about {name} all evening
        It has as little to do with {name} as with last year's weather
        The old poster for a talk on {name} still hangs beside the door
        My sister has taken up {name}, but that is another story
        The library moved its shelf on {name} to make room for the chairs
    """),
    stuffed=lines("""
        Best {name} deals, cheap {name} offers, {name} with free delivery
        Everything for {name}: {name} gifts, {name} shirts, {name} cups
        You searched for {name}, and we have {name} in stock today
        Click now for {name}, more {name} and even cheaper {name}
        Top ten {name} bargains for friends of {name}
        {name}, {name}, {name}: order before midnight
    """),
    headings=lines("""
        Notes on {a_quality} {thing}
        How to {do}
        {things} and {stuff}
        A word about {stuff}
        The {person} and the {thing}
        {number} {quality} {things}
        What {people} say about {stuff}
        Before you {do}
        {stuff} in {season}
        Why we {did} in {season}
    """),
    lists=lines("""
        Links
        Useful addresses
        Our friends elsewhere
        Pages worth keeping
        A list, kept by hand
        Bookmarks
    """),
    entries=lines("""
        a page by {author}
        No. {number}
        {author}, page {number}
        see here
        recommended by {author}
        another one, added in {season}
    """),
    lures=lines("""
        {name} deals and {name} offers
        Cheap {name} today
        {name} superstore
        All about {name} here
    """),
    more=lines("""
        more
        read on
        a page we liked
        next
        details
        see also
    """),
    authors=lines("""
        Anna
        Mr Palmer
        the twins
        J. Okafor
        Ingrid
        old Tom
        Mrs Devi
        L. Moreau
    """),
    seasons=("spring", "summer", "autumn", "winter", "March", "June", "October"),
    numbers=("two", "three", "four", "five", "six", "seven", "nine", "eleven", "twelve", "twenty", "forty"),
    home="Home",
    print="Print version",
    ring="Also in our web ring",
    stop=".",
    gap=" ",
)

CHINESE = Grammar(
    plain=lines("""
        到了{season}，{person}总要先{do}，再看{stuff}够不够
        {quality}的{thing}，最让人放心不下
        很多{person}一提到{thing}，就想起{stuff}
        我们为了{do}忙了两天，{stuff}还是不太理想
        没有人告诉过我们，{quality}的{thing}也会影响{stuff}
        隔壁的{person}花了一个下午{do}
        先看{thing}，再看{stuff}，最后才{do}
        要是{thing}不够{quality}，最好等到{season}再{do}
        好的{stuff}要等，{quality}的{thing}更要等
        去年{season}的笔记里，{thing}写了{number}页，{stuff}只有一行
        为了{do}，来了{number}位{person}
        离开了{stuff}，{thing}就没有什么意思
        有位{person}教我们怎样{do}，又不浪费{stuff}
        还没有{do}之前，不要急着去看{stuff}
        {thing}好不好，关键看{stuff}
        {season}快结束的时候，大家都在{do}
        有的{person}看重{stuff}，有的{person}只喜欢{thing}
        我第一次{do}的时候，手忙脚乱
        {thing}和{stuff}之间，总要留一点余地
        跟{person}聊起{quality}的{thing}，半天也聊不完
        {season}里有{number}个早晨，我们都在{do}
        {person}说，{do}最好不要一个人去
    """),
    named=lines("""
        刚接触{name}的人，先从{thing}和{stuff}开始就好
        说到{name}，{stuff}比{thing}更要紧
        我们{season}开的{name}班，欢迎每一位{person}参加
        钻研了四十年{name}，才懂得要趁早{do}
        讲{name}的书很多，写{thing}写得好的却没有几本
    """),
    passing=lines("""
        邻桌的人整晚都在谈{name}
        这件事和{name}没有什么关系
        门边那张{name}讲座的旧海报还没有撕掉
        我妹妹最近迷上了{name}，那是另外一个故事了
        图书馆把{name}的书架挪到了楼上
    """),
    stuffed=lines("""
        {name}特价，{name}优惠，{name}包邮
        {name}礼品、{name}用品、{name}大全，应有尽有
        您搜索的{name}今天有货，{name}欢迎订购
        点击这里看{name}，更多{name}，更便宜的{name}
        {name}十大排行，{name}爱好者首选
        {name}，{name}，还是{name}，今晚截止
    """),
    headings=lines("""
        谈谈{quality}的{thing}
        怎样{do}
        {thing}与{stuff}
        {stuff}小记
        {person}和{thing}
        {number}个关于{thing}的问题
        {person}眼中的{stuff}
        {do}之前
        {season}的{stuff}
        我和{thing}
    """),
    lists=lines("""
        链接
        常用网址
        友情链接
        值得收藏的网页
        手工整理的目录
        书签
    """),
    entries=lines("""
        {author}的网页
        第{number}号
        {author}推荐
        请看这里
        {season}新加的一条
        {author}，第{number}页
    """),
    lures=lines("""
        {name}特价大全
        今日{name}优惠
        {name}商城
        {name}就来这里
    """),
    more=lines("""
        更多
        继续阅读
        相关网页
        下一篇
        详情
        另见
    """),
    authors=lines("""
        小林
        王老师
        老周
        阿芳
        陈先生
        刘奶奶
        大刘
        许医生
    """),
    seasons=("春天", "夏天", "秋天", "冬天", "三月", "六月", "十月"),
    numbers=("三", "四", "五", "六", "七", "八", "九", "十一", "十二", "二十", "四十"),
    home="首页",
    print="打印版",
    ring="网环里还有",
    stop="。",
    gap="",
)

GRAMMARS = {"en": ENGLISH, "zh": CHINESE}
