"""The sentence patterns of the practice web, with a hole for each part a word can play."""

from msgspec import Struct

from thresher.web.practice.vocabulary import lines


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


ENGLISH = Grammar(
    plain=lines("""
        In {season} the {person} should {do} every {thing} before the {stuff} runs short
        A {quality} {thing} is worth more than {number} new {things}
        Most {people} keep {a_thing} close at hand and {do} it once a week
        We {did} the {things} twice, and still the {stuff} was not what we had hoped for
        Nobody told us that {a_quality} {thing} can spoil the {stuff}
        The {person} next door {did} {number} {things} in one afternoon
        Start with the {thing}, leave the {stuff} alone, and {do} the {quality} {things} last
        If the {thing} looks {quality}, {do} it again before {season} comes
        Good {stuff} needs time, and {quality} {things} need even more of it
        My notes from last {season} mention {number} {things} and very little {stuff}
        It took {number} {people} to {do} the {thing} that we found behind the shed
        Without {stuff} the {things} are only decoration
        An old {person} showed us how to {do} {things} without wasting {stuff}
        Keep the {stuff} away from the {thing} until all {things} have been {done}
        What separates {a_quality} {thing} from a poor one is the {stuff}
        By the end of {season} we had {done} {number} of the {things}
        Some {people} swear by {stuff}; others would rather {do} {a_thing}
        The first {thing} that I ever {did} was far too {quality}
        Between the {thing} and the {stuff} there must always be some room
        Ask any {person} about {quality} {things} and take a chair
    """),
    named=lines("""
        Anyone new to {name} should begin with one {thing} and a little {stuff}
        In {name} the {stuff} matters more than the {thing}
        Our {season} course in {name} is open to every {person}
        Forty years of {name} have taught us to {do} the {things} early
        The best book on {name} has a whole chapter about {things}
    """),
    passing=lines("""
        Somebody at the next table talked about {name} all evening
        It has as little to do with {name} as with the moon landing
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
        How to {do} {a_thing}
        {things} and {stuff}
        A word about {stuff}
        The {person} and the {thing}
        {number} {quality} {things}
        What {people} say about {stuff}
        Before you {do} the {things}
        {stuff} in {season}
        My first {thing}
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
    seasons=("spring", "summer", "autumn", "winter", "early March", "late June", "October"),
    numbers=("two", "three", "four", "five", "six", "seven", "nine", "eleven", "twelve", "twenty", "forty"),
    home="Home",
    print="Print version",
    ring="Also in our web ring",
    stop=".",
    gap=" ",
)

CHINESE = Grammar(
    plain=lines("""
        到了{season}，{person}总要先{do}{thing}，再看{stuff}够不够
        {quality}的{thing}，一件胜过{number}件新的
        很多{person}随身带着{thing}，有空就{do}一遍
        我们把{thing}{do}了两次，{stuff}还是不太理想
        没有人告诉过我们，{quality}的{thing}也会影响{stuff}
        隔壁的{person}一个下午就{do}了{number}件{thing}
        先准备好{thing}，{stuff}不要急，{quality}的留到最后
        要是{thing}显得{quality}，最好在{season}以前再{do}一次
        好的{stuff}要等，{quality}的{thing}更要等
        去年{season}的笔记里，{thing}写了{number}页，{stuff}只有一行
        为了{do}那件{thing}，来了{number}位{person}
        离开了{stuff}，{thing}不过是摆设
        一位老{person}教我们怎样{do}{thing}，又不浪费{stuff}
        在{do}完{thing}之前，不要去碰{stuff}
        {thing}好不好，关键看{stuff}
        {season}快结束的时候，{thing}已经{do}了一大半
        有的{person}看重{stuff}，有的{person}只喜欢{thing}
        我第一次{do}{thing}的时候，手忙脚乱
        {thing}和{stuff}之间，总要留一点余地
        跟{person}聊起{quality}的{thing}，半天也聊不完
    """),
    named=lines("""
        刚接触{name}的人，先从{thing}和{stuff}开始就好
        说到{name}，{stuff}比{thing}更要紧
        我们{season}开的{name}班，欢迎每一位{person}参加
        做了四十年{name}，才懂得早些{do}{thing}
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
        怎样{do}{thing}
        {thing}与{stuff}
        {stuff}小记
        {person}和他的{thing}
        {number}件{thing}的故事
        {person}眼中的{stuff}
        {do}{thing}之前
        {season}的{stuff}
        我的第一件{thing}
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
    seasons=("春天", "夏天", "秋天", "冬天", "三月初", "六月底", "十月"),
    numbers=("两", "三", "四", "五", "六", "七", "九", "十一", "十二", "二十", "四十"),
    home="首页",
    print="打印版",
    ring="网环里还有",
    stop="。",
    gap="",
)

GRAMMARS = {"en": ENGLISH, "zh": CHINESE}
