"""The words of which a query about time holds at least one: all others need no reading."""

import re

__all__ = ["TIME_WORDS"]

TIME_WORDS = re.compile(
    r"\d|(?<![a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|spring|summer|autumn"
    r"|fall|winter|yesterday|yesturday|today|todays|tonight|tom|yday|tmrw|now|current|recent|latest|newest|last|lst|past"
    r"|previous|this|these|those|that|same|next|nxt|coming|ago|since|year|yr|month|week|day|decade|centur|quarter|half"
    r"|hour|fortnight|millenn|[yqmw]td|lately|present|fy|fiscal|q[1-4]|h[12]|[ivx]+ c|[a-z]+teen|twen|thir|fort|fift|sixt"
    r"|sevent|eight|ninet|nought|aught|naught|hundred|thousand|eleven|twelve|ten|turn|earliest|oldest|original|first|up[- ]to"
    r"|most|at the moment|as of|christmas|xmas|easter|new year|hallow|thanks|boxing|good friday|black friday|cyber|bastille"
    r"|independence|canada|memorial|labou?r|valentine|st|saint|mardi|shrove|ash|palm|ascension|pentecost|whit|epiphany"
    r"|groundhog|anzac|earth day|juneteenth|all saints|guy|bonfire|veteran|armistice|remembrance|mother|father|president"
    r"|martin luther|mlk|columbus)",
)
