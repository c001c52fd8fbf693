#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds sentences without a finite verb, by lists of the verbs that comments and pages of this project use.

"Which rows a wave has." and "Memory that both share." have verbs, but in clauses that say no more than a noun would: a
sentence needs a verb more than it has such clauses. When a right sentence is refused, its verb is missing below.
"""
import re

AUXILIARIES = set("""am are aren't can can't cannot could did didn't do does doesn't don't had has hasn't have haven't
is isn't it's let's may might must shall should that's there's was wasn't were weren't will won't would""".split())

# These third persons are nothing else.
VERBS = set("""accepts accumulates achieves activates acts adapts adds adjusts admits advances agrees aims aligns
allocates allows alternates announces appears appends applies approximates arrives asks assembles asserts associates
assumes attaches avoids awaits becomes begins behaves belongs binds brings broadcasts bypasses calculates captures
carries catches centres charges chooses clears climbs closes collects combines comes commences compares compiles
complains completes composes computes concludes confirms consists constrains constructs consumes contains continues
contributes converts convolves corrects covers creates crosses decides declares decodes decomposes defines delegates
deletes delivers demangles denies denotes depends dequantises dequantizes derives describes destroys detaches detects
determines differs disables disagrees disassembles discards discovers distinguishes disturbs divides drains drives
duplicates eliminates embeds emits enables encloses encodes enqueues ensures enters equals errs escapes evaluates evicts
exceeds excludes executes exists expands expects expires explains exposes extends extracts fails falls faults feeds
finds finishes flattens flushes follows forbids forces forgets frees fulfils fuses fuzzes gathers generates gets gives
goes grows guarantees happens has helps hides hoists holds identifies ignores implements implies imports improves
includes inherits initialises initializes inlines inserts installs interrupts invents inverts involves iterates joins
justifies keeps knows lacks lasts lays leads learns leaves lets lies lifts lives loses lowers maintains makes manages
matches matters means meets mentions merges minimises moves multiplies narrows needs negates normalises notifies obeys
obtains occupies occurs offers omits opens optimises outlives outranks overrides overtakes overwrites owns parses
performs pertains precedes predicts preempts prefers prepares prepends presents preserves pretends prevents produces
proves provides prunes publishes pushes qualifies quantises quantizes raises reaches realises receives recognises
recommends recomputes reconstructs recovers recurses redirects reduces refers reflects refuses rejects relates relaxes
relies reloads remains remembers removes renders reorders replaces replicates reproduces requires rescales resets
resolves respects restores restricts resumes retains retires retries returns reuses reveals reverses rewinds rewrites
satisfies saturates saves says scatters seems sees selects sends separates serialises serves settles shortens shows
shrinks simplifies simulates sits slides solves speaks specifies spends stands stays substitutes subtracts succeeds
suffices suits summarises suppresses surrounds survives suspends synchronises takes tells terminates throws tolerates
translates transmits transposes travels treats tries truncates trusts underflows undoes unifies unpacks unrolls unwinds
validates vanishes varies verifies walks wants warns weighs widens wires works wraps zeroes""".split())

# These are plural nouns, too.
NOUNS_OR_VERBS = set("""accesses amounts answers benefits bounds branches breaks builds calls causes changes checks
claims clamps commits concerns conflicts controls copies costs counts cuts deals decreases delays demands dispatches
draws drops ends estimates exchanges exits experiments exports fences fetches fills fits fixes flips folds forms gains
gates groups guards halves handles hashes hits increases inputs interests interleaves issues jumps lags lands launches
likes limits links lists loads locks logs looks loops maps marks masks measures misses mixes models names nests notes
notices orders outputs overflows overlaps packs pads pairs parks passes pays peeks peels permits permutes picks pins
places plans plays points polls pops positions prefetches preloads prints processes profiles promises puts queues quiets
quits quotes reads records refills releases renames repairs repeats replays reports requests reserves rests results
rings rises rolls rotates rounds routes runs samples scales scans scores searches sets shares shifts shuffles signals
skips sleeps slices sorts spans spills splits spreads stalls stamps starts states steers stops stores streams strips
sums supports swaps switches swizzles tests times touches traces tracks transfers traps triggers trims triples tunes
turns updates uses views visits votes waits wakes wastes watches wins writes yields""".split())

# These are plurals and infinitives of verbs that do not end as the third person does.
PAST_AND_IRREGULAR = set("""became began bought broke brought built came caught chose did drew drove fell felt forgot
found gained gave got grew held hid kept knew laid lay led left lost made meant met paid ran rose said saw sent spent
stood thought told took went won wrote""".split())

NOT_BEFORE_A_VERB = set("""a above across after along an any as at before behind below between by each every's few
fewer for from in into its least less many more most my new no of old on one's other other's our out over own per same
such than the their these third those three through to two under up upon via whose with within without your zero four
five six seven eight nine ten sixteen both's single whole""".split())
SINGULAR = set("a an any each every one single this that whole".split())  # "each reads", but "of reads"
CLAUSES = set("""because how if that though unless until what whatever when whenever where whereas wherever whether
which whichever while who whom whose why although""".split())
# "As" opens a clause, too, but not in "as well", "as many as" and the like.
NOT_AFTER_AS = set("""far few if in large little long low many much of often one short small soon such well when wide
with""".split())
PARTICLES = set("on out over up".split())  # "goes on", "leaves out"
BETWEEN = set("all also always be been both each ever first never not now only so still then".split())  # "may not read"
NOT_AFTER = CLAUSES | set("""after as at before but by except for from in like of on over so than through to under with within
without , ; : (""".split())  # "that" is a pronoun of its own there
OBJECTS = set("a all an another any each every it its itself no nothing one that the their them these this those".split())
SUBJECTS = set("all and both nobody none nor not or others that they these those we which who you".split())


def base(verb):
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if re.search(r"(?:sh|ch|x|ss|o|zz)es$", verb):
        return verb[:-2]
    return verb[:-1]


BASES = {base(v) for v in VERBS} | {"become", "go"}
NOUN_BASES = {base(v) for v in NOUNS_OR_VERBS}
WITH_OBJECT = NOUNS_OR_VERBS | NOUN_BASES | BASES  # "steps the loop": what an article follows is a verb
AFTER_AUXILIARY = BASES | NOUN_BASES | PAST_AND_IRREGULAR
OPENERS = VERBS | WITH_OBJECT | AUXILIARIES  # "Returns ...", "Wait ..."


def words_of(sentence):
    sentence = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence)
    return re.findall(r"[A-Za-z_][\w'-]*|\d[\w.]*|[<>=!]=|[=<>]|[,;:()]", sentence)


def is_verb(words, i):
    word = words[i]
    before = words[i - 1].lower() if i else ""
    if not word.islower():
        return False
    if word in AUXILIARIES or word in VERBS:
        return True
    after = words[i + 1].lower() if i + 1 < len(words) else ""
    if word in WITH_OBJECT and after in OBJECTS and before not in ("a", "an", "the", "to"):
        return True
    name = i > 1 and (words[i - 2][0].isupper() or words[i - 2] == "=")
    counted = before[:1].isdigit() and not name  # "64 reads", but "HIP 7 reads"
    if word in NOUNS_OR_VERBS:
        return before not in NOT_BEFORE_A_VERB - SINGULAR and not counted
    if word in PAST_AND_IRREGULAR or word in BASES:
        each_other = before == "other" and words[i - 2].lower() == "each"
        return before not in NOT_BEFORE_A_VERB or before in PARTICLES or each_other
    if word in NOUN_BASES:
        plural = any(w.lower() in SUBJECTS or w.endswith("s") and "'" not in w and len(w) > 2 for w in words[:i])
        if before == "that" and i > 1:
            return words[i - 2].lower() not in NOT_AFTER
        return plural and before not in NOT_BEFORE_A_VERB and (before != "," or after.endswith("s"))
    if word.endswith("ed"):
        return after in OBJECTS or after[:1].isdigit() or before in ("it", "they", "we", "you")
    return False


def opens_with_verb(words):
    first = words[0].lower()
    if first in ("for", "or", "that", "like") or len(words) > 1 and words[1] == "of":
        return False
    return first in OPENERS


def opens_clause(words, i, with_as):
    after = words[i + 1].lower() if i + 1 < len(words) else ""
    if with_as and words[i] == "as":
        return words[i - 1] != "such" and after not in NOT_AFTER_AS and not after[:1].isdigit()
    return words[i].lower() in CLAUSES


def clauses_of(words, with_as):
    """Counts the clauses that depend on another and have a verb of their own; with_as: also those that "as" opens."""
    count = relative = 0
    for i, word in enumerate(words):
        if not opens_clause(words, i, with_as):
            continue
        word = word.lower()
        before = words[i - 1].lower() if i else ""
        after = words[i + 1].lower() if i + 1 < len(words) else ""
        if word == "that":  # not the pronoun
            if not before or after == "of" or before in NOT_AFTER or before == "and" and not relative:
                continue
        end = next((j for j in range(i + 1, len(words)) if words[j] in ",;:)" or
                    opens_clause(words, j, with_as) and words[j - 1].lower() not in CLAUSES), len(words))
        if any(is_verb(words, j) for j in range(i + 1, end)):
            count += 1
            relative += word == "that"
    return count


def verbs_of(words):
    """Counts the verbs: "may read", "reads or writes" and "is read" are one each."""
    count, end = 0, -2
    for i in range(len(words)):
        if i < end or not is_verb(words, i):
            continue
        joined = i >= 2 and words[i - 1] in ("and", "or") and end == i - 1
        count += not joined
        end = i + 1
        if words[i] in AUXILIARIES:
            while end < len(words) and (words[end] in BETWEEN or words[end] == "have" or words[end].endswith("ly")):
                end += 1
                if words[end - 1] == "have" and words[end : end + 1] != ["been"]:
                    break
            if end < len(words) and words[end] in AFTER_AUXILIARY:
                end += 1
    return count


def lacks_verb(words, with_as=False):
    return bool(words) and not opens_with_verb(words) and verbs_of(words) <= clauses_of(words, with_as)


def is_verbless(sentence):
    """Returns whether a sentence has no finite verb but in clauses that depend on a noun, or that "as" or a question word opens.

    What stands before a colon needs a verb, too, where it is more than a label.
    """
    sentence = re.sub(r'"[^"]*"', "Quote", re.sub(r"`[^`]*`", "Code", sentence.strip().strip("()")))
    words = words_of(sentence)
    head = re.sub(r"\([^()]*\)", "", sentence)
    if not re.search(r"\b[A-Za-z]{2,}\b", sentence) or re.match(r"(?:This|These|It|They|There|Here|We|You)\b", sentence):
        return False
    if re.match(r"The (?:\w+er|more|less) the\b", sentence):  # "The smaller the tile, the more there are."
        return False
    if re.match(r"(?:What|Which|How|Whether|Why|Who|Whose)\b", sentence):
        if lacks_verb(words_of(re.split(r"[:;(]", head)[0])):
            return True
    if re.match(r"(?:A|An|The|One|Two|Three|Four|All|Each|Every|Both|No)\b", sentence):
        if lacks_verb(words_of(re.split(r"[:;]", head)[0])):
            return True
    if re.search("[:;]", head) and not OPENS_LABEL.match(head):
        label = words_of(re.split(r"[:;]", head)[0])
        if len(label) > 3 and not set(label) & set("=<>") and lacks_verb(label, with_as=True):
            return True
    return lacks_verb(words, with_as=True)


# What stands before a colon may be a condition or a source. "Attention for heads of 64: see attention.h" refers.
OPENS_LABEL = re.compile(r"(?:After|And|As|At|Before|Behind|But|By|For|From|If|In|On|Per|Predicted|Published|Sources|Under|When|"
                         r"Where|With|Within|Without)\b|.*: see ")
# A sentence ends at a full stop before a capital or a bracket; not at the one of "et al. (2011)".
SENTENCE_END = re.compile(r"(?<!\bch\.)(?<!\bal\.)(?<!\bsec\.)(?<!\bvs\.)(?<=[.!?])[\"')]*\s+(?=[A-Z(`\"])")
LABEL = re.compile(r"(?!(?:A|All|An|Each|How|One|The|What|Which)\b)[\w.*/`-]+(?: [\w`*-]+)?: ")
TABLE = re.compile(r"\S {2,}\S|^-{2,}")


def verbless_sentences(text):
    """Yields the sentences of a text that end with a full stop, have no verb, and are neither a label nor part of a table."""
    for sentence in SENTENCE_END.split(text):
        ends = re.search(r"\.[\"')*]*$", sentence) and not sentence.endswith("..")
        ends = ends or re.match(r"(?:A|An|How|The|What|Where|Whether|Which)\b", sentence) and sentence.count(" ") > 4
        exempt = sentence[:1].islower() or LABEL.match(sentence) or TABLE.search(sentence)
        if ends and not exempt and is_verbless(sentence):
            yield sentence
