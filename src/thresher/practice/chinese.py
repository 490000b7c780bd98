"""The Chinese subjects of the practice web: five topics and two everyday subjects."""

from thresher.practice.words import Vocabulary, lines, words

BIRDWATCHING = Vocabulary(
    name="观鸟",
    language="zh",
    translation="birdwatching",
    path=("户外", "观鸟"),
    spellings=(("huwai", "outdoors"), ("guanniao", "birdwatching", "birds")),
    keywords=words("候鸟, 望远镜, 湿地, 白鹭, 羽毛, 鸟巢, 迁徙, 鸣叫, 滩涂, 猛禽"),
    things=words(
        "候鸟, 望远镜, 白鹭, 鸟巢, 猛禽, 野鸭, 翠鸟, 鹤群, 雏鸟, 图鉴, 记录本, 三脚架, 隐蔽棚, 鸟环,"
        " 黑脸琵鹭, 雀类, 大雁, 水鸟, 鸻鹬, 鸟种名录"
    ),
    stuff=words("羽毛, 鸣叫声, 湿地, 滩涂, 芦苇, 浅水, 晨雾, 迁徙路线, 落羽"),
    people=words("鸟友, 护鸟员, 向导, 鸟类学者, 志愿者"),
    deeds=words(
        "记录候鸟, 辨认猛禽, 清点鹤群, 拍摄翠鸟, 架好望远镜, 听声辨鸟, 给幼鸟环志, 翻看图鉴, 守在棚里,"
        " 救助落单的大雁"
    ),
    qualities=words("罕见, 警觉, 活跃, 安静, 密集, 鲜艳, 瘦小, 常见"),
    facts=lines("""
        每年十月，第一批大雁排成人字飞过河口
        换羽期的野鸭不能远飞，只好躲在芦苇深处
        退潮后的两个小时，鸻鹬都在滩涂上忙着觅食
        听声比看影更可靠，柳莺尤其如此
        雏鸟落地时不要急着捡，亲鸟多半就在附近
        八倍的望远镜拿得稳，比十倍的更适合林子里用
    """),
    sites=words("luwei, bailu, hekou, tantu, heming, yanqun"),
)

CALLIGRAPHY = Vocabulary(
    name="书法",
    language="zh",
    translation="calligraphy",
    path=("艺术", "书法"),
    spellings=(("yishu", "arts"), ("shufa", "calligraphy")),
    keywords=words("毛笔, 宣纸, 砚台, 墨汁, 楷书, 行书, 碑帖, 临摹, 笔画, 篆刻"),
    things=words(
        "毛笔, 砚台, 碑帖, 印章, 字帖, 笔架, 镇纸, 对联, 扇面, 拓片, 横幅, 手卷, 笔洗, 条幅, 册页, 毛毡,"
        " 笔画, 竖钩, 飞白, 结体"
    ),
    stuff=words("宣纸, 墨汁, 楷书, 行书, 隶书, 草书, 印泥, 笔锋, 墨色"),
    people=words("书家, 习字的人, 篆刻家, 先生, 藏家"),
    deeds=words(
        "临摹碑帖, 研墨, 铺开宣纸, 装裱条幅, 题写扇面, 清洗毛笔, 揣摩结体, 刻一方印, 收拾书案, 写完一副对联"
    ),
    qualities=words("端正, 飘逸, 古拙, 饱满, 遒劲, 秀丽, 工整, 苍劲"),
    facts=lines("""
        中锋行笔，墨才能透进纸里，线条也就立得住
        初学者先写颜真卿，横平竖直，不容易走偏
        磨墨要慢，水要少，磨得急了墨色发灰
        王羲之的《兰亭序》里有二十多个之字，没有一个重样
        生宣吃墨快，写小楷最好换成熟宣
        写到得意处，收笔反而要更沉得住气
    """),
    sites=words("mochi, yanbian, lanting, bichi, zhujuan, songyan"),
)

GO_GAME = Vocabulary(
    name="围棋",
    language="zh",
    translation="go",
    path=("棋类", "围棋"),
    spellings=(("qilei", "games"), ("weiqi", "go")),
    keywords=words("棋盘, 定式, 布局, 官子, 棋手, 黑棋, 白棋, 打劫, 中盘, 死活题"),
    things=words(
        "棋盘, 定式, 黑棋, 白棋, 死活题, 棋谱, 棋钟, 棋罐, 征子, 手筋, 大龙, 劫材, 眼位, 星位, 小目,"
        " 断点, 无忧角, 模样, 孤棋, 厚势"
    ),
    stuff=words("布局, 官子, 中盘, 先手, 外势, 实地, 读秒, 贴目, 打劫"),
    people=words("棋手, 业余选手, 解说员, 棋友, 院生"),
    deeds=words(
        "复盘旧局, 计算气数, 摆出定式, 做死活题, 点评中盘, 收官, 背诵棋谱, 抢占大场, 做活大龙, 按下棋钟"
    ),
    qualities=words("厚实, 轻灵, 稳健, 薄弱, 凝重, 积极, 均衡, 激烈"),
    facts=lines("""
        金角银边草肚皮，先占角总是没有错的
        白棋脱先以后，黑棋在下边连走两手，形势立刻厚了
        两眼才能做活，一只假眼到最后还是要被提掉
        读秒声里算不清对杀的气数，是输棋最常见的原因
        人工智能流行以后，点三三从俗手变成了常用的下法
        贴目从五目半改成七目半，执黑的人不得不走得更积极
    """),
    sites=words("heibai, xingwei, lanke, tianyuan, shoutan, qizi"),
)

TOFU = Vocabulary(
    name="豆腐",
    language="zh",
    translation="tofu",
    path=("饮食", "豆腐"),
    spellings=(("yinshi", "food"), ("doufu", "tofu")),
    keywords=words("黄豆, 豆浆, 石磨, 卤水, 石膏, 豆渣, 豆干, 纱布, 压制, 豆皮"),
    things=words(
        "石磨, 纱布, 木框, 大锅, 豆皮, 豆干, 木勺, 磨盘, 浆桶, 压板, 竹筛, 陶缸, 灶台, 白布包, 豆泡,"
        " 老磨坊, 石板, 滤袋, 模子, 担子"
    ),
    stuff=words("黄豆, 豆浆, 卤水, 石膏, 豆渣, 井水, 豆香, 浮沫, 酸浆"),
    people=words("磨坊师傅, 卖浆人, 老板娘, 学徒, 主妇"),
    deeds=words(
        "浸泡黄豆, 推石磨, 过滤豆渣, 煮开豆浆, 点卤水, 压紧木框, 撇去浮沫, 烧热灶台, 清洗纱布, 挑担子上街"
    ),
    qualities=words("嫩滑, 老韧, 雪白, 细腻, 温热, 清甜, 紧实, 新鲜"),
    facts=lines("""
        豆子夏天泡四个钟头，冬天要泡一整夜
        卤水要一勺一勺地点，看见浆里起了花就要停手
        南方多用石膏，点出来的嫩，北方多用卤水，压出来的老
        头一遍磨出的浆最浓，第二遍的留着煮粥
        浮沫不撇干净，压出来的就会有蜂窝
        天没亮，老磨坊的灶台已经烧开了三锅浆
    """),
    sites=words("shimo, mofang, baijiang, huangdou, jingshui, qingjiang"),
)

TEA = Vocabulary(
    name="茶艺",
    language="zh",
    translation="tea",
    path=("饮食", "茶艺"),
    spellings=(("yinshi", "food"), ("chayi", "tea")),
    keywords=words("茶叶, 绿茶, 乌龙茶, 紫砂壶, 盖碗, 茶园, 冲泡, 茶汤, 普洱, 采摘"),
    things=words(
        "紫砂壶, 盖碗, 茶园, 茶杯, 公道杯, 茶席, 茶荷, 竹篓, 茶饼, 炭炉, 铁壶, 茶针, 茶罐, 品茗杯, 茶盘,"
        " 茶山, 揉捻机, 老茶树, 茶则, 闻香杯"
    ),
    stuff=words("茶叶, 绿茶, 乌龙茶, 茶汤, 普洱, 山泉水, 白毫, 回甘, 茶香"),
    people=words("茶农, 茶客, 制茶师傅, 泡茶人, 评茶员"),
    deeds=words(
        "冲泡乌龙茶, 采摘嫩芽, 炒制绿茶, 品尝新茶, 温热盖碗, 烘焙岩茶, 挑选茶饼, 烧山泉水, 清洗茶杯, 布置茶席"
    ),
    qualities=words("清香, 醇厚, 温润, 鲜爽, 精致, 老旧, 素雅, 浓郁"),
    facts=lines("""
        清明前采的芽头最嫩，一斤要几万个
        水烧到蟹眼初起就要离火，绿茶怕烫
        头一泡只醒茶，不喝，第二泡才见真味
        杀青的锅温高了有焦味，低了又带青气
        普洱饼放在干燥通风的地方，十年以后汤色红亮
        武夷的岩茶要焙三道火，急不得
    """),
    sites=words("yuqian, shanquan, wuyan, laocha, songfeng, zhulu"),
)

NEIGHBOURHOOD = Vocabulary(
    name="社区",
    language="zh",
    translation="neighbourhood",
    path=(),
    spellings=(),
    keywords=(),
    things=words(
        "公告栏, 菜市场, 幼儿园, 停车位, 楼道, 图书室, 健身器材, 路灯, 公交站, 垃圾桶, 居委会, 花坛,"
        " 电梯, 快递柜, 操场, 小卖部, 会议室, 长椅, 自行车棚, 水管"
    ),
    stuff=words("通知, 时间, 噪音, 暖气, 雨水, 经费, 阳光, 消息, 耐心"),
    people=words("居民, 保安, 居委会主任, 退休教师, 物业经理, 楼长"),
    deeds=words(
        "维修路灯, 打扫楼道, 讨论停车位, 更换水管, 粉刷墙面, 登记住户, 布置会议室, 整理图书室, 检查电梯,"
        " 张贴通知"
    ),
    qualities=words("崭新, 安静, 热闹, 老旧, 整洁, 方便, 拥挤, 明亮"),
    facts=lines("""
        二号楼的电梯下周一停用半天，请大家早些出门
        周六上午八点在门口集合，一起打扫花坛
        快递柜满了以后，包裹只好放在保安室
        冬天的暖气要到十一月中旬才来
        图书室新添了一百本小说，凭门卡就能借
        夜里十点以后请把音响关小一点
    """),
    sites=words("xiaoqu, hutong, lijia, dongmen, jiefang, huayuan"),
)

OUTINGS = Vocabulary(
    name="出行",
    language="zh",
    translation="outings",
    path=(),
    spellings=(),
    keywords=(),
    things=words(
        "车票, 旅馆, 行李箱, 地图, 古镇, 码头, 餐馆, 相机, 缆车, 博物馆, 海滩, 机场, 背包, 民宿, 景区,"
        " 大巴, 门票, 山路, 纪念品, 夜市"
    ),
    stuff=words("天气, 行李, 路费, 运气, 风景, 小吃, 零钱, 假期, 体力"),
    people=words("游客, 导游, 司机, 旅馆老板, 背包客, 同伴"),
    deeds=words(
        "预订旅馆, 收拾行李, 打听路线, 游览古镇, 购买门票, 拍摄海滩, 坐缆车上山, 逛夜市, 比较票价, 等候大巴"
    ),
    qualities=words("便宜, 偏远, 有名, 拥挤, 古老, 陡峭, 干净, 宽敞"),
    facts=lines("""
        早班车七点开，晚一分钟也不等人
        山顶比山脚低十度，外套一定要带上
        古镇的门票下午五点以后就不查了
        老板说的十分钟，走起来总要半个钟头
        雨季的航班常常晚点，最好多留一天
        夜市从桥头一直摆到码头，走完要一个晚上
    """),
    sites=words("yuanshan, lvtu, matou, guzhen, beibao, xingzhe"),
)

TOPICS = (BIRDWATCHING, CALLIGRAPHY, GO_GAME, TOFU, TEA)
EVERYDAY = (NEIGHBOURHOOD, OUTINGS)
