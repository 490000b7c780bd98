"""The English subjects of the practice web: seven topics and three everyday subjects."""

from thresher.practice.words import Vocabulary, lines, words

BEEKEEPING = Vocabulary(
    name="beekeeping",
    language="en",
    translation="养蜂",
    path=("Country", "Beekeeping"),
    spellings=(("country", "rural", "nongcun"), ("beekeeping", "apiary", "bees", "yangfeng")),
    keywords=words("hive, honey, bee, queen, comb, swarm, nectar, brood, colony, beeswax"),
    things=words(
        "hive, bee, queen, comb, swarm, colony, drone, worker bee, brood frame, super, smoker, veil,"
        " hive tool, feeder, skep, queen cell, entrance block, apiary, foundation sheet, nucleus box"
    ),
    stuff=words("honey, nectar, brood, pollen, beeswax, propolis, sugar syrup, royal jelly, bee bread"),
    people=words("beekeeper, swarm catcher, bee inspector, honey judge, apiarist"),
    deeds=lines("""
        inspect/inspected the brood frames
        smoke/smoked the hive
        split/split a strong colony
        feed/fed thin syrup
        mark/marked the queen
        uncap/uncapped the combs
        catch/caught the swarm
        scrape/scraped the floor boards
        count/counted the mites
        light/lit the smoker
    """),
    qualities=words("gentle, capped, crowded, prolific, queenless, strong, weak, sealed"),
    facts=lines("""
        The winter cluster slowly climbs through its stores and turns its own warmth round and round
        A prime swarm leaves with the old queen on the first still noon after rain
        Foragers dance on the dark comb to tell their sisters where the lime trees are in flower
        Varroa mites hide under the cappings, so count them on a white board before autumn
        Heather honey is so thick that the combs have to be pressed instead of spun
        Two frames of eggs and young larvae tell more than an hour of looking for the queen
    """),
    sites=words("hillside, oldskep, clover, limeblossom, heather, sunnybank"),
)

CIDER = Vocabulary(
    name="cider",
    language="en",
    translation="苹果酒",
    path=("Country", "Cider"),
    spellings=(("country", "rural", "nongcun"), ("cider", "cyder", "pingguojiu")),
    keywords=words("apple, orchard, press, juice, ferment, pomace, barrel, tannin, perry, bottle"),
    things=words(
        "apple, orchard, press, barrel, bottle, cheesecloth, scratter, hydrometer, airlock, graft,"
        " rootstock, windfall, pear, ladder, vat, cask, racking cane, crown cap, bittersweet, sapling"
    ),
    stuff=words("juice, pomace, tannin, perry, yeast, must, lees, blossom, fermentation"),
    people=words("orchardist, presser, grafter, cellarman, picker"),
    deeds=lines("""
        press/pressed the apples
        gather/gathered the windfalls
        rack/racked the barrels
        graft/grafted the old pear
        prune/pruned the orchard
        wash/washed the cloths
        blend/blended sharp with sweet
        taste/tasted the lees
        sharpen/sharpened the mill
        store/stored the bottles
    """),
    qualities=words("ripe, cloudy, dry, sparkling, tart, bruised, sweet, bitter"),
    facts=lines("""
        The milled fruit is folded into cloths and stacked under the press until it looks like a layered cake
        A slow cold ferment keeps the smell of the orchard in the bottle
        Old standard trees crop every second year, whatever the owner says to them
        Perry pears must be milled the day they soften, because by the next they rot
        When the airlock is silent for a week the cellarman may think about racking
        Wassailers still pour last year's drink over the roots and hang toast in the branches
    """),
    sites=words("windfall, redstreak, kingston, appleyard, foxwhelp, perrytree"),
)

CHEESEMAKING = Vocabulary(
    name="cheesemaking",
    language="en",
    translation="奶酪制作",
    path=("Kitchen", "Cheesemaking"),
    spellings=(("kitchen", "food", "chufang"), ("cheesemaking", "dairy", "nailao")),
    keywords=words("milk, curd, whey, rennet, dairy, rind, brine, starter, mould, cheddar"),
    things=words(
        "curd, rind, mould, dairy, starter, vat, goat, ewe, cow, wheel, cheddar, tomme, churn,"
        " thermometer, draining mat, follower, ripening cave, curd knife, harp, truckle"
    ),
    stuff=words("milk, whey, rennet, brine, cream, culture, salt, annatto, blue mould"),
    people=words("dairymaid, affineur, cheesemonger, goatherd, milker"),
    deeds=lines("""
        cut/cut the curd
        drain/drained the whey
        salt/salted the wheels
        turn/turned the truckles
        brush/brushed the rinds
        warm/warmed the milk
        wrap/wrapped the tommes
        scald/scalded the cloths
        stir/stirred the vat
        taste/tasted the oldest wheel
    """),
    qualities=words("raw, creamy, crumbly, ripe, salty, soft, mature, bitter"),
    facts=lines("""
        The curd is ready to cut when a finger lifted through it leaves a clean break
        Evening milk is left to stand overnight and skimmed before the morning milk is added
        A washed rind smells of the cellar, and nobody should be afraid of it
        The whey goes to the pigs, and the pigs are the only ones who never complain
        Every wheel is turned by hand twice a week until the rind will hold its own weight
        Too much rennet makes the paste bitter long before anybody can see it
    """),
    sites=words("milkpail, oldchurn, bluevein, goatmeadow, rindhouse, skimmed"),
)

SAILING = Vocabulary(
    name="sailing",
    language="en",
    translation="帆船",
    path=("Outdoors", "Sailing"),
    spellings=(("outdoors", "sport", "huwai"), ("sailing", "yacht", "fanchuan")),
    keywords=words("boat, sail, mast, keel, wind, tide, harbour, rudder, anchor, yacht"),
    things=words(
        "boat, sail, mast, keel, harbour, rudder, anchor, yacht, dinghy, jib, mainsheet, halyard, cleat,"
        " buoy, spinnaker, tiller, mooring, reef point, chart, foghorn"
    ),
    stuff=words("wind, tide, rigging, spray, ballast, canvas, rope, swell, salt water"),
    people=words("skipper, helmsman, deckhand, rigger, harbourmaster"),
    deeds=lines("""
        hoist/hoisted the jib
        reef/reefed the main
        trim/trimmed the sheets
        moor/moored the dinghy
        splice/spliced a halyard
        caulk/caulked the seams
        drop/dropped the anchor
        wait/waited for the tide
        scrub/scrubbed the hull
        round/rounded the last buoy
    """),
    qualities=words("seaworthy, slack, taut, shallow, wet, tangled, salty, steady"),
    facts=lines("""
        When the tide turns against the wind the bay stands up in short steep seas
        Reef when you first think of it, because ten minutes later it is already hard
        The genoa was backed to bring her bows through the wind at the last buoy
        A lee shore has ended more cruises than any storm out at sea
        Coming in under jib alone keeps the speed down and the view clear
        The log shows four knots through the water and barely one over the ground
    """),
    sites=words("leeshore, halyard, saltmarsh, eastquay, springtide, bowline"),
)

ASTRONOMY = Vocabulary(
    name="astronomy",
    language="en",
    translation="天文",
    path=("Science", "Astronomy"),
    spellings=(("science", "kexue"), ("astronomy", "stars", "tianwen")),
    keywords=words("star, planet, telescope, galaxy, comet, orbit, nebula, moon, eclipse, observatory"),
    things=words(
        "star, planet, galaxy, telescope, comet, orbit, nebula, moon, eclipse, eyepiece, crater,"
        " sunspot, finder scope, star chart, double star, variable star, tripod, cluster, observatory,"
        " spectrum line"
    ),
    stuff=words(
        "starlight, dark sky, cosmic dust, seeing, moonlight, zodiacal light, hydrogen, twilight, dew"
    ),
    people=words("stargazer, observer, comet hunter, astronomer, mirror maker"),
    deeds=lines("""
        sketch/sketched the craters
        align/aligned the tripod
        time/timed the eclipse
        track/tracked the comet
        count/counted the meteors
        photograph/photographed the nebula
        clean/cleaned the eyepiece
        measure/measured the double
        wait/waited for darkness
        chart/charted the variable
    """),
    qualities=words("faint, bright, distant, blurred, reddish, low, steady, tiny"),
    facts=lines("""
        The rings of Saturn open and close again over nearly thirty years
        Averted vision shows the spiral arms that a direct look can never hold
        Shadow bands ran over the white sheet half a minute before totality
        A mirror is tested at the eyepiece end by the pattern of light round a star
        The galaxy in Andromeda is a grey smudge over the barn roof on any moonless night
        Perseids seem to stream from one point because we are driving into them
    """),
    sites=words("darksky, northstar, meridian, halfmoon, perihelion, quietdome"),
)

POTTERY = Vocabulary(
    name="pottery",
    language="en",
    translation="陶艺",
    path=("Crafts", "Pottery"),
    spellings=(("crafts", "arts", "shougong"), ("pottery", "ceramics", "taoyi")),
    keywords=words("clay, kiln, glaze, wheel, bowl, slip, stoneware, jug, porcelain, firing"),
    things=words(
        "kiln, glaze, wheel, bowl, jug, firing, mug, bat, teapot, handle, pyrometer, saggar, sponge,"
        " bisque pot, lid, turning tool, coil, tile, cone, plate"
    ),
    stuff=words("clay, slip, stoneware, porcelain, earthenware, wood ash, feldspar, grog, celadon"),
    people=words("potter, thrower, kiln master, glazer, decorator"),
    deeds=lines("""
        wedge/wedged the clay
        throw/threw a tall jug
        centre/centred the lump
        dip/dipped the mugs
        stack/stacked the kiln
        pull/pulled the handles
        turn/turned the foot rings
        mix/mixed the ash
        trail/trailed white slip
        sweep/swept the studio
    """),
    qualities=words("unfired, glossy, crazed, brittle, salted, speckled, thin, uneven"),
    facts=lines("""
        The bowl must be leather hard before the foot can be turned without a wobble
        Ash from the firebox melts on the shoulders of the jars and runs down green
        A crack like an S in the base means that the floor was never pressed together
        The cones bend one after another, and the last of them says when to stop
        Wet slip is trailed over dark clay and combed with a feather before it sets
        Opening a kiln too warm has broken more work than dropping it ever did
    """),
    sites=words("redclay, ashglaze, kilnlane, slipware, oldwheel, stonejar"),
)

RAILWAYS = Vocabulary(
    name="railways",
    language="en",
    translation="铁路",
    path=("Transport", "Railways"),
    spellings=(("transport", "jiaotong"), ("railways", "trains", "tielu")),
    keywords=words("train, locomotive, track, station, signal, steam, carriage, junction, timetable, gauge"),
    things=words(
        "train, locomotive, track, station, signal, carriage, junction, timetable, sleeper, platform,"
        " tender, turntable, boiler, viaduct, siding, signal box, buffer, points lever, goods wagon,"
        " water crane"
    ),
    stuff=words("steam, coal, gauge, ballast, catenary, firebox brick, freight, axle oil, soot"),
    people=words("driver, fireman, signaller, platelayer, guard"),
    deeds=lines("""
        couple/coupled the carriages
        shunt/shunted the wagons
        stoke/stoked the fire
        haul/hauled the coal
        grease/greased the axles
        restore/restored the signal box
        paint/painted the tender
        lay/laid the siding
        clear/cleared the platform
        check/checked the timetable
    """),
    qualities=words("narrow, disused, preserved, electric, rusty, polished, crowded, curved"),
    facts=lines("""
        The last passenger train ran over the viaduct on a Saturday in thick snow
        A tank engine needs no turntable and takes its water from the column by the shed
        The token for the single line is handed over at walking speed from the signal box
        Two lumps of coal in the wrong corner of the firebox can cost five pounds of pressure
        Sleepers under the old siding still show where a third rail was once laid
        Mail vans were sorted on the move and caught their bags from hooks beside the track
    """),
    sites=words("branchline, junction, signalbox, oldviaduct, ironroad, whistlestop"),
)

TOWN = Vocabulary(
    name="town",
    language="en",
    translation="小镇",
    path=(),
    spellings=(),
    keywords=(),
    things=words(
        "street, library, market, school, council meeting, bridge, bus stop, playground, newsletter,"
        " committee, fountain, bakery, parking place, choir, notice board, bench, town hall, festival,"
        " shop, museum"
    ),
    stuff=words("rain, traffic, paint, gossip, music, rubbish, daylight, paperwork, money"),
    people=words("mayor, neighbour, librarian, shopkeeper, volunteer, caretaker"),
    deeds=lines("""
        repair/repaired the fountain
        open/opened the library
        paint/painted the benches
        read/read the newsletter
        sweep/swept the square
        close/closed the bridge
        rename/renamed the street
        count/counted the votes
        move/moved the market
        rehearse/rehearsed with the choir
    """),
    qualities=words("new, quiet, local, narrow, public, friendly, old, busy"),
    facts=lines("""
        The council will read the second draft aloud before anybody may vote on it
        Parking is free again on the square from six in the evening
        Lost gloves are kept in the box behind the door of the library until Easter
        The choir needs two more basses and somebody who can find the light switch
        A summer festival costs more than it earns, and that was never the point
        Snow was cleared from the school steps by the parents before the bell
    """),
    sites=words("market, riverside, millbridge, oldtown, parish, lantern"),
)

TRAVEL = Vocabulary(
    name="travel",
    language="en",
    translation="旅行",
    path=(),
    spellings=(),
    keywords=(),
    things=words(
        "hotel, suitcase, ticket, guidebook, road, map, castle, beach, restaurant, postcard, village,"
        " ferry, museum, hostel, backpack, mountain hut, border, taxi, camera, souvenir"
    ),
    stuff=words("sunshine, luggage, coffee, weather, small change, luck, scenery, street food, patience"),
    people=words("traveller, guide, hiker, waiter, tourist, innkeeper"),
    deeds=lines("""
        book/booked the hotel
        pack/packed the suitcase
        cross/crossed the border
        miss/missed the ferry
        send/sent a postcard
        visit/visited the castle
        ask/asked for the way
        photograph/photographed the village
        pay/paid the taxi
        lose/lost the map
    """),
    qualities=words("cheap, remote, sunny, crowded, famous, steep, charming, foreign"),
    facts=lines("""
        The morning bus over the pass is slower than walking but has a heater
        Breakfast ends at nine, and the innkeeper counts the rolls
        Nobody at the border could read the stamp from the year before
        Postcards sent from the island arrive after the traveller does
        A second pair of dry socks is worth more than any guidebook
        The castle is closed on Mondays, which no map will ever tell you
    """),
    sites=words("wayside, farroad, suitcase, milestone, lighthouse, hikers"),
)

COMPUTING = Vocabulary(
    name="computing",
    language="en",
    translation="电脑",
    path=(),
    spellings=(),
    keywords=(),
    things=words(
        "computer, keyboard, printer, program, password, screen, file, folder, network cable, website,"
        " server, battery, phone, update, spreadsheet, laptop, browser, backup disk, scanner, mailbox"
    ),
    stuff=words("software, memory, electricity, code, storage, documentation, advice, noise, bandwidth"),
    people=words("programmer, beginner, administrator, student, repairer, webmaster"),
    deeds=lines("""
        install/installed the update
        restart/restarted the server
        copy/copied the folder
        delete/deleted the mails
        replace/replaced the battery
        print/printed the manual
        unplug/unplugged the printer
        test/tested the program
        forget/forgot the password
        clean/cleaned the keyboard
    """),
    qualities=words("slow, broken, spare, portable, wireless, noisy, reliable, outdated"),
    facts=lines("""
        Two copies in the same drawer are one copy with a longer name
        The printer prints every page but the last, and always has
        Nobody reads the manual until the smoke has cleared
        Pull out the plug, count to ten, and half of all faults are gone
        The old website was written in one night and stayed for eleven years
        A password on a yellow note under the keyboard is no password
    """),
    sites=words("byteshop, oldmodem, homepage, greenscreen, tinkerer, floppy"),
)

TOPICS = (BEEKEEPING, CIDER, CHEESEMAKING, SAILING, ASTRONOMY, POTTERY, RAILWAYS)
EVERYDAY = (TOWN, TRAVEL, COMPUTING)
