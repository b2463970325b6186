"""What looks like a time and is none: products, standards, titles, measures, sections, other senses of "may" and "last".

A mask rule covers such words, so that no later rule reads them. Each list names a kind; `negatives.jsonl` has lines of
every kind.
"""

from qtie.tie.cascade import MASK, Found, Rule, rules

__all__ = ["MASKS"]

MASKS: list[Rule] = []
_mask = rules(MASKS)

_N = r"[\d][\d.,:/-]*\d|\d"
_YEARS = r"(?:1[4-9]|20)\d\d"


def _words(text: str) -> str:
    return "|".join(sorted(text.split(), key=len, reverse=True))


_LABELLED = _words(
    "room rooms suite apt apartment flat unit floor gate bus route flight line train track platform error errno code status port page "
    "pages p pp section sections sec chapter chapters verse verses article clause paragraph para rule rules item figure fig table "
    "appendix exhibit schedule annex step steps lesson level grade episode ep volume vol issue part parts no "
    "number nr num serial sku isbn rfc cve iso iec din ieee ansi astm en bs mil-std asme api model models mark mk type series "
    "version ver v build release firmware kernel channel highway hwy interstate motorway road rd exit area zip "
    "postcode pin extension ext psalm hymn opus op symphony sonata size area lot bin bay building bldg zone "
    "district ward precinct squadron regiment battalion brigade division company platoon locker box pobox form "
    "ticket case invoice order bill resolution act directive regulation account acct id ref reference question "
    "exercise problem hresult http sqlstate ora kb bug issue pr commit revision rev patch chromosome asteroid "
    "ngc messier group team class-action bond fund sqft pass locomotive engine hull bus tram loco radio fm am psi"
)
_MEASURES = _words(
    "people persons men women children kids students pupils soldiers troops prisoners workers staff users members voters guests seats "
    "meters metres meter metre kilometers kilometres km miles mile mi feet foot ft yards yard yd inches inch cm mm m "
    "m2 sqm kg kilograms kilos grams g mg lbs lb pounds pound tons tonnes ton ounces oz stone litres liters "
    "ml gallons barrels cups calories cal kcal kj joules watts watt w kw mw gw kwh volts volt v amps mah hp bhp rpm cc horsepower "
    "mph kph knots degrees degree celsius fahrenheit hz khz mhz ghz db bytes kb mb gb tb bits px pixels dpi fps "
    "dollars dollar usd euros euro eur gbp yen rupees bucks cents francs percent percentage pct points pts "
    "words characters chars lines rows columns pages copies items pieces parts units samples questions answers records entries "
    "documents tokens parameters requests hours hour hrs minutes minute mins seconds secs sec times reps steps "
    "acres hectares square sq cubic votes goals runs wickets likes views followers subscribers downloads clicks stars "
    "species genes atoms molecules islands bottles cards pills tablets doses ways things reasons tips facts ideas jokes "
    "examples recipes puzzles bc-calories piece pcs pack grit thread thread-count lumens lux nits horse-power "
    "bar psi pascals atm kelvin newton newtons ohms ohm farads nm um microns cm3 gsm mpg gpm cfm btu"
)
_FOR_YEARS = r"(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|yrs?|mins?|decades?|centuries)"


@_mask("labelled number", rf"(?:{_LABELLED})(?: no\.?| number| code| #| nr\.?| id)?[ .:#-]*#?\d[\w.:/()-]*(?<![.:,])")
def _label(found: Found) -> str | None:
    label = found.match[0].split()[0].rstrip(".:#-0123456789")
    if label in ("series", "type", "class", "issue", "release", "act", "am", "order", "bill", "company", "radio", "engine", "fund", "pass", "form", "group", "team", "division", "en", "no", "case", "area", "v") and not _identifies(found):
        return None
    return MASK


def _identifies(found: Found) -> bool:
    """A label that is also a common noun identifies only by a number that is no plausible year, or as "No."."""
    number = found.match[0].split()[-1].lstrip("#.:-nr")
    return not (number.isdigit() and 1400 <= int(number) <= 2100)


@_mask("counted or measured", rf"(?P<n>\d[\d.,]*)(?:[ -]?(?:x|×) ?\d+)?[ -]?(?:{_MEASURES})(?![\w'])")
@_mask("counted after an adjective", r"\d[\d.,]* (?:of them|more people|or more people|million|billion|trillion|thousand|hundred|dozen)(?![\w'])")
def _measure(found: Found) -> str | None:
    text = found.match[0]
    number = found.match.groupdict().get("n") or ""
    word = text[len(number) :].strip(" -")
    before = found.skeleton.text[: found.match.start()]
    year = number.isdigit() and 1400 <= int(number) <= 2100
    if year and word in ("am", "m", "g", "v", "w", "questions", "answers", "records", "documents", "parts", "things", "facts", "members", "votes", "goals", "cards", "stars", "men", "women", "people", "students", "voters", "workers", "species", "stone", "bar", "points", "units", "copies") and before.rstrip().endswith(("in", "of", "since", "from", "for", "by", "during", "until")):
        return None
    return MASK


@_mask("money", r"(?:[$€£¥₹]|usd|eur|gbp|us\$|a\$|rs\.?) ?\d[\d.,]*(?: ?[kmb]n?\b| million| billion)?|\d[\d.,]* ?[€£$¥]")
@_mask("percent and degrees", r"\d[\d.,]* ?(?:%|°[cf]?|℃|℉)")
@_mask("thousands", r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
@_mask("decimal or version", r"v?\d+\.\d+(?:\.\d+)*(?:[-+]?[a-z]+\d*)?(?! ?(?:bc|ad|ce)\b)")
@_mask("resolution or ratio", r"\d+ ?[x×] ?\d+(?: ?[x×] ?\d+)?|\d{1,2}:\d{1,2}(?::\d\d)?(?: ?[ap]\.?m\.?)?|\d+p|\d+k")
@_mask("clock time", r"\d{1,2}(?:[:.]\d\d)? ?(?:a\.?m\.?|p\.?m\.?|o'?clock)|\d{3,4} hours|at \d{4} (?:gmt|utc|zulu)")
@_mask("phone", r"(?:\+\d{1,3}[ -]?)?\(?\d{3}\)?[ -]\d{3}[ -]\d{4}|\d{3}-\d{4}(?! season)|1?-?8\d\d-[\w-]+")
@_mask("hash number", r"#\d+[\w-]*|\d+#")
def _figure(found: Found) -> str | None:
    text, before = found.match[0], found.skeleton.text[: found.match.start()]
    if "." in text and text.count(".") == 2 and text[0] != "v":
        parts = text.split(".")
        if all(part.isdigit() for part in parts) and (len(parts[2]) == 4 or len(parts[0]) == 4):
            return None  # a dotted date
    if text[:3].isdigit() and "-" in text and len(text) == 8 and before.endswith(("season ", "from ")):
        return None
    return MASK


@_mask("letters and digits", r"(?!(?:q[1-4]|h[12]|[12]h|[1-4]q|fy|pre|post|mid|early|late|cw|wk|w|y|ca?|ad|bc|est|circa|since|non|anti|nov|[a-z]{3,9}(?=-(?:19|20)\d\d(?!\d)))[-' ]?\d)[a-z]+[-_]?\d[\w.-]*(?<![.-])")
@_mask("digits and letters", rf"(?!\d{{1,4}}(?:st|nd|rd|th|s|'s|bc|ad|ce|bce|yrs?|years?|months?|weeks?|days?|ish)(?!\w)|\d{{1,2}}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[12]h|[1-4]q|{_YEARS}[-/]?(?:w\d\d|onwards?)|\d{{4}}-\d\d|\d{{4}}t)\d+[-_]?[a-z]+[\w.]*(?<!\.)")
def _code(found: Found) -> str | None:
    text = found.match[0]
    head = text.rstrip("0123456789-_.")
    month_like = ("jan", "feb", "mar", "apr", "may", "jun", "june", "jul", "july", "aug", "sep", "sept", "oct", "dec")
    if head in month_like or text.startswith(("w/", "b/")):
        return None
    if "-" in text and text[0].isdigit() and text[:4].isdigit() and 1400 <= int(text[:4]) <= 2100 and not text[4:5].isalnum():
        return None  # "2019-present", "2008-era"
    return MASK


_PRODUCTS = (
    r"windows(?: nt| server)?|ms office|(?<!the )(?<!in )office|sql server|visual studio|exchange server|exchange|sharepoint|server"
    r"|excel|outlook|access|autocad|solidworks|photoshop|illustrator|quickbooks|turbotax|sims|ubuntu|debian|fedora"
    r"|centos|macos|mac os x|os x|ios|android|python|java|php|ruby|node|c\+\+|c#|fortran|cobol|ada|ecmascript|es|angular|react|vue|django"
    r"|boeing|airbus|apollo|gemini|voyager|soyuz|sputnik|mercury|pioneer|expedition|falcon|ariane|saturn v|stinger|tu|mig|f|b"
    r"|iphone|ipad|ipod|galaxy(?: \w+)?|pixel|nokia|xbox|playstation|ps|nintendo|wii|commodore|amiga|atari|spectrum|macintosh|apple ii|palm|blackberry"
    r"|geforce|gtx|rtx|radeon|rx|ryzen|core i\d|pentium|celeron|xeon|threadripper|intel|amd|nvidia|quadro|athlon"
    r"|porsche|peugeot|bmw|audi|ferrari|volvo|mazda|fiat|renault|citro[eë]n|mercedes(?:-benz)?|lancia|alfa romeo|saab|skoda|ducati|kawasaki|honda cb|yamaha|chrysler|peterbilt|john deere|caterpillar|massey ferguson"
    r"|canon|nikon|sony|roland|fender|gibson|moog|yamaha dx|hp|dell|lenovo|thinkpad|epson|brother|kindle|gopro|dji|casio|timex|rolex|omega"
    r"|euro|ebola|agenda|vision|horizon|studio|studio one|cyberpunk|blade runner|fallout|deus ex|anno|fifa|nba 2k|madden|pes|civilization|age of empires|sim ?city|battlefield|call of duty"
    r"|route|area|catch|fahrenheit|heaven|club|forever|chanel no\.?|channel|level|warhammer|space|death race|death|party like it'?s|terminator|minecraft"
    r"|formula|world war|mach|covid|sars|form|m\.?s\.?|type|vitamin|omega|uranium|carbon|cesium|caesium|polonium|strontium|iodine|cobalt|plutonium|isotope|catch|polaris|salyut|skylab|expo line|brexit|roman|studio"
)


@_mask("product and number", rf"(?:{_PRODUCTS})[ -](?:no\.? ?|#)?(?P<n>\d[\w.-]*)(?<!\.)(?!-?\d|')")
def _product(found: Found) -> str | None:
    number = found["n"].rstrip(".")
    name = found.match[0][: -len(found["n"])].rstrip(" -")
    year = number.isdigit() and 1900 <= int(number) <= 2100
    if year and name in _NOT_BY_YEAR:
        return None
    return MASK


_NOT_BY_YEAR = {
    "boeing", "airbus", "python", "java", "php", "ruby", "node", "angular", "react", "vue", "django", "iphone", "ipad", "apollo", "soyuz", "ios", "android", "intel", "amd",
    "nvidia", "sony", "canon", "nikon", "bmw", "audi", "ferrari", "volvo", "honda cb", "hp", "dell", "lenovo", "covid", "sars", "ebola", "euro", "agenda", "world war", "formula",
    "route", "club", "studio", "server", "area", "death", "form", "type", "channel", "brexit", "roman", "space", "exchange", "mercury", "pioneer", "gibson", "fender", "roland",
    "chrysler", "renault", "fiat", "mazda", "peugeot", "porsche", "mercedes", "mercedes-benz", "kindle", "gopro", "nokia", "blackberry", "minecraft", "formula", "expedition", "f", "b", "carbon",
    "uranium", "isotope", "vitamin", "mach", "party like it's", "party like its", "yamaha", "kawasaki", "ducati", "rolex", "casio", "saab", "skoda", "playstation", "xbox", "nintendo", "wii", "omega", "access", "outlook", "excel", "es", "ps", "pes", "spectrum", "atari",
}  # fmt: skip


@_mask("product year version", rf"(?:ms office|microsoft office|microsoft word|microsoft excel|microsoft access|microsoft project|windows(?: nt| server)?|office|sql server|visual studio|exchange server|sharepoint(?: server)?|visio|autocad|solidworks|quickbooks|turbotax|excel|outlook|autodesk \w+|revit|matlab r|dynamics|vs) (?P<n>{_YEARS})(?! (?:olympics|election))")
def _year_version(found: Found) -> str:
    return MASK


_SPEAKS_OF_WORK = r"(?:novel|book|film|movie|series|song|album|game|musical|play|tv show|show|soundtrack|comic|story|anime|lyrics|sequel|trilogy|trailer|cast|plot|chords|review|summary|ending|characters?|quotes?)"
_TITLES = (
    r"2001:? a space odyssey|2010:? (?:odyssey two|the year we make contact)|2061:? odyssey three|3001:? the final odyssey"
    r"|blade runner 2049|cyberpunk 2077|wonder woman 1984|1984 by|orwell'?s 1984|1984(?: by)?(?= (?:by )?(?:george )?orwell)|george orwell'?s? 1984|nineteen eighty-four"
    r"|summer of '?69|december,? 1963|disco 2000|party like it'?s 1999|(?:prince )?1999 (?:by prince|prince|lyrics)|death race 2000|space:? 1999|class of 1984|"
    r"1917 (?:film|movie)|1408 (?:film|movie|book)|300 (?:film|movie)|murder at 1600|1776 (?:musical|book|by)|1492:? conquest of paradise|the 1975|1941 (?:film|movie)|2012 (?:film|movie)|"
    r"2046 (?:film|movie)|summer of 1?9?42|the spirit of '?76|'?39 (?:by )?queen|'?97 bonnie|1979 smashing pumpkins|smashing pumpkins 1979|2666 (?:by )?bola[nñ]o|bola[nñ]o'?s? 2666|1q84|fahrenheit 451|catch[- ]22|"
    r"boardwalk of 1920|a hundred years of solitude|november rain|wake me up when september ends|september (?:song|by earth)|earth,? wind (?:and|&) fire september|october sky|the hunt for red october|july 4th song|born on the fourth of july|independence day (?:film|movie|cast|2)|"
    r"the summer i turned pretty|500 days of summer|i know what you did last summer|spring awakening|silent spring|the last (?:of us|samurai|supper|airbender|kingdom|jedi|starfighter|emperor|ship|dance|picture show|mohican\w*|unicorn)|last of the mohicans|the last of|"
    r"yesterday (?:movie|film|by the beatles|beatles|lyrics)|tomorrow never dies|the day after tomorrow|tomorrowland|the edge of tomorrow|edge of tomorrow|no tomorrow|annie tomorrow|black friday (?:film|movie)|the world is not enough|saturday night (?:live|fever)|friday night (?:lights|funkin)|friday the 13th|good friday agreement|sunday times|black sabbath|bloody sunday|ruby tuesday|wednesday (?:addams|season|netflix|cast)|man friday|taco tuesday|freaky friday|"
    r"back to the future|the future of|future proof|live and let die|first blood|first man|first cow|the first omen|50 first dates|ready player one|present tense|the present"
)


@_mask("title", rf"(?:{_TITLES})(?!\w)")
@_mask("title before a work", rf"(?:the )?{_SPEAKS_OF_WORK} (?:called |titled |named )?[\"']?(?P<n>{_YEARS}|\d{{3}})(?=[\"' ]|$|\?)(?= by|[\"']|$|\?| (?:review|summary|ending|cast|plot|characters?))")
@_mask("title after a work", rf"(?P<n>{_YEARS})[\"']? (?:novel|book|film|movie|album|song|musical|lyrics|soundtrack) (?:by|cast|plot|review|ending|summary|characters?|quotes?|analysis|lyrics|chords)")
@_mask("quoted", r"\"[^\"]{1,60}\"")
@_mask("year and colon", rf"(?:^|(?<=watch )|(?<=read )|(?<=film )){_YEARS}: [a-z]")
def _title(found: Found) -> str | None:
    text = found.match[0]
    if found.match.groupdict().get("n") is not None and found.skeleton.text[: found.match.start("n")].endswith(("book ", "song ", "album ", "film ", "movie ", "game ", "show ")):
        ends = found.skeleton.text[found.match.end("n") :].strip(" ?")
        return MASK if ends.startswith("by") or found.match[0].startswith("the ") else None
    if text.startswith('"') and not any(char.isdigit() for char in text):
        return None
    return MASK


@_mask("address", r"\d{1,5} (?:\w+ ){1,2}(?:street|st|avenue|ave|road|rd|lane|ln|drive|boulevard|blvd|court|place|square|highway|hwy|way|parkway|pennsylvania)(?![\w])")
@_mask("zip code", r"(?<=[a-z]{2} )\d{5}(?:-\d{4})?")
@_mask("age", r"(?:in|into|enter\w*) (?:his|her|their|my|your|our|ones?|one's) (?:early |mid |late |early-|mid-|late-)?(?:\d0s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties|teens)")
@_mask("age in years", r"(?:aged?|over|under|age of|ages) \d{1,3}(?:[ -](?:to|and|-) ?\d{1,3})?(?![\d\w]|'?s)|\d{1,3}[- ](?:year|yr|month|week|day)s?[- ]olds?|people over \d+")
@_mask("temperature decade", r"(?:(?:high|low|mid|upper|lower)[- ])(?:\d0s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)(?= (?:degrees|fahrenheit|celsius|today|this weekend)|$)")
@_mask("duration", rf"(?:for|lasts?|lasting|takes?|took|spent|spend|after just|every) (?:(?:about|over|around|at least|more than|less than|up to|the next) )?(?P<n>\d{{1,4}}|an?|several|(?:a )?few|a couple of|many) {_FOR_YEARS}(?! (?:ago|before|after|prior|following|from|since|back|to))")
@_mask("duration adjective", rf"\d{{1,4}}[- ](?:year|month|week|day|hour|minute|decade)(?! (?:ago|before|after|prior|following|earlier|later|from|period|to|leading|of))(?=[ -][a-z])(?!s)")
@_mask("years of", rf"\d{{1,4}}\+? {_FOR_YEARS} (?:of (?!the|<V>|\d)|in (?:prison|jail|a|the making|business|power|office|captivity|space)|old|long|warranty|later)")
def _length(found: Found) -> str | None:
    text = found.match[0]
    if text.startswith(("over ", "under ")) and any(text.endswith(year) for year in ("00",)) and len(text.split()[-1]) == 4:
        return None
    after = found.skeleton.text[found.match.end() :]
    before = found.skeleton.text[: found.match.start()]
    if before.rstrip().endswith(("past", "last", "next", "previous", "the", "within", "first", "final", "preceding", "following")) and "old" not in text:
        return None
    return None if after.startswith((" ago", " before", " after")) else MASK


_OTHER_SENSES = (
    r"(?:i|we|you|they|he|she|it|who|one|this|that|there|which|what|children|employees|users|patients|tenants) may(?= (?:not )?(?:be|have|not|use|need|want|cause|[a-z]+))|may (?:be|have|i|we|not|cause|contain|require|include|also|help|lead|result|affect)|theresa may|brian may|may (?:west|ling)|cape may|mayday|may the (?:4th|fourth|force) be|"
    r"march (?:of|on|madness|for|against|into|through|past|to the sea|hare|fly)(?! (?:\d|this|last|the \d))|(?:long|the|death|forced|wedding|funeral|imperial|protest|peace|women'?s|frog|salt|turkish|radetzky|million man|selma|civil rights|slow|quick|dead) march(?! (?:\d|this|last|of \d))|"
    r"(?:marching|april (?:ryan|o'?neil|ludgate|fools|kepner)|june (?:carter|cleaver|lockhart|bug|allyson)|august (?:wilson|strindberg|rush|alsina|landmesser|macke|burns)|january jones|julius caesar july|jan (?:van|hus|de|steen|vermeer|smuts|sobieski|morris)|dec (?:alpha|vax)|mar (?:a|del)|summer (?:smith|glau|roberts|school|camp|solstice|squash|dress\w*|tires|tyres|job\w*|house|internship\w*)|autumn (?:reeser|leaves|de wilde)|spring (?:boot|framework|cloud|security|mvc|roll\w*|onion\w*|water|mattress|cleaning|constant|steel|chicken|break|data|loaded|batch)|winter (?:soldier|olympics|is coming|tires|tyres|coat\w*|sport\w*|melon|garden|palace|squash|solstice|park)|summer (?:olympics|olympic games|games|paralympics))|"
    r"(?:fall (?:of|in love|out|damage|guys|asleep|apart|behind|down|short|into|from grace|back|off|over|in|prevention|risk|protection|detection)|free fall|water ?fall|fall-?out|falls?|rain ?fall|the fall (?:of|by)|prices? fall|rates? fall|sales fall|niagara|downfall)(?! \d)|"
    r"second (?:hand|world|amendment|life|cousin|language|opinion|degree|wave|wife|husband|son|floor|place|law|lieutenant|person|mortgage|home|chance|to none|best|coming|generation|half marathon|base|vatican|empire|republic|punic|boer|sino)|"
    r"first (?:aid|name|names|class|lady|person|party|world|amendment|degree|grade|floor|base|nations|contact|principles|order|responder\w*|cousin|communion|past the post|mover|edition|hand|born|love|date|time|tier|gear|half marathon|generation|language|minister|republic|punic|boer|folio|mate|officer|down|sea lord|rate|come)|first[- ]time|at first|"
    r"last (?:name|names|resort|mile|supper|word|words|rites|will|call|stand|minute|post|straw|laugh|samurai|airbender|jedi|mohicans?|unicorn|kingdom|ditch|place|digit|digits|row|column|element|character|line|commit|updated?|index|item|page|modified|login|seen|one|of|but|to|chance|in first|fm|pass)(?! [\d])|at last|at long last|last[- ](?:ditch|minute)|"
    r"next (?:of kin|to|door|generation|gen|best|topic|step|steps|level|js|\.js|button|page|chapter|plc|episode|line|element|row|one|in line|big thing)|next\.?js|up next|"
    r"(?:electric(?:al)?|electricity|ocean|sea|alternating|direct|air|eddy|rip|tidal|high|low|leakage|induced|water|dark|inrush|gulf|steady) current\w*|current (?:account|affairs|assets|liabilities|density|liability|divider|ratio|mirror|transformer|source|sensor|flow|law|voltage|carrying|limiting|meter|loop|clamp|probe|amplifier|directory|working|user|thread|tense|state)|"
    r"present (?:tense|value|perfect|simple|continuous|participle|moment|for|ideas?|to|a|the)|net present|birthday present\w*|christmas present\w*|past (?:tense|participle|perfect|simple|continuous|paper\w*|lives|life|due|the|exam)|future (?:tense|value|perfect|proof\w*|continuous)|"
    r"(?:apocalypse|now|nirvana|teen) now|now (?:united|that|you see|tv|and then)|just now|right now lyrics|know(?:n)? how|now that's|"
    r"sun (?:microsystems|tzu|ra|light|screen|block|burn|flower|valley|solar|and moon|dance|city|belt|bear|yat)|the sun|sat (?:score\w*|test|prep|exam|math|nav|on|down|in|out|subject|reading|practice)|mon (?:calamari|dieu|ami|amour|repos)|wed (?:in|to)|"
    r"(?:today|tomorrow|yesterday) (?:show|programme|fm|newspaper|beatles)|usa today|"
    r"(?:half|quarter)[- ](?:life|marathon|time|back|term|pipe|blood|pounder|final\w*|horse|note|inch|mile|dollar)|quarters? (?:back|pounder|of an?)|quarter-?finals?|"
    r"decade counter|century (?:link|city|egg|21|plant|theatre|old)|twenty-?first century fox|(?:20|21)(?:th|st) century (?:fox|studios|insurance)|leap year|light[- ]years?|school year(?! \d)|gap year|academic year(?! \d)|calendar year(?! \d)|fiscal year(?! '?\d)(?: end)?|"
    r"year (?:in review|end|zero|of the (?:dog|rat|ox|tiger|rabbit|dragon|snake|horse|goat|sheep|monkey|rooster|pig))|of the (?:year|month|century|decade|week)(?! (?:award )?(?:in |for )?\d)|day of the (?:dead|jackal|triffids|tentacle|week)|days of (?:our lives|thunder|heaven)|end of days|day[- ]to[- ]day|day trad\w+|week-?day|week ?ends?(?= getaway)|by the way|after all|"
    r"recent (?:files|items|documents|places|call\w*|tab\w*|history)|latest (?:and greatest)|current-?ly married|(?:@|:|-)latest|-current|latest tag|docker latest|npm latest"
)


@_mask("another sense", rf"(?:{_OTHER_SENSES})(?![\w])")
def _sense(found: Found) -> str:
    return MASK

