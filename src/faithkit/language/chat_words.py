"""Words of chat models and programs around a summary. Only data lives here; what is done with it is
in `phrases.py` and `wrapping.py`."""

from __future__ import annotations

from faithkit.language.lexicon import word_set

CHAT_WORDS = word_set("""
article articles text texts document documents passage passages story stories source sources
conversation dialogue dialog discussion chat meeting call transcript email message report paper
abstract note notes post page content contents input information excerpt piece news summary
summaries summarization summarisation overview recap synopsis rundown gist outline point points
takeaway takeaways highlights bullet bulleted bullets conclusion version paragraph paragraphs
sentence sentences word words line lines list answer response output format form a an the this
that these those it its your you my me i we us here there of for from in on to by with as at and
or but so if is are be was s m ll d ve re can could would will should may do does did have has
had any all some no not more most less about just also only please too what which how when very
much really one two three four five six seven eight nine ten brief briefly short shorter long
longer concise quick main key important essential major central general simple simpler clear
detailed detail details neutral accurate plain single original given provided above below
following attached entire full whole new revised updated final possible own better different
another other else further additional anything something specific sure certainly course
absolutely definitely ok okay alright great good glad happy understood got problem thing welcome
thanks thank hello hi hope hopes help helps helpful helped useful meets needs need find found
let know like want wish prefer feel free ask asking question questions request requests
requested asked assistance assist clarification clarify change changes adjust adjustment
adjustments modification modifications edit edits revise rewrite shorten expand elaborate make
made give provide providing write wrote written create created generate generated summarize
summarise summarized summarised summarizing summarising capture captures cover covers highlight
highlighting based focus focusing focused read reading style tone length nice day using happily
look follows go
""")
"""Every word that a phrase around a summary may have ("Here is a summary of the article:")."""

REFUSAL_WORDS = CHAT_WORDS | word_set("""
sorry apologize apologise apologies unfortunately however cannot t don doesn didn isn wasn couldn
won haven unable able ability access accessing open opening browse browsing visit visiting view
viewing load retrieve fetch see comply complying fulfill fulfil complete process continue engage
external internet web website websites site online link links url urls pdf file files attachment
attachments image images real time live share shared paste pasted upload uploaded directly currently
because since due they guidelines policy policies ai language large model assistant based there
appears appear seems seem been was were to empty blank enough sufficient missing
""")
"""Every word that a refusal may have ("As an AI language model, I cannot access the article.")."""

SUMMARY_KEYS = word_set("""
summary summaries text bullets bulletpoints bullet points point keypoints keypoint takeaways
keytakeaways highlights output response answer finalanswer result content tldr abstract overview
sentences sentence paragraphs paragraph conclusion shortsummary longsummary
""")
"""Keys that programs give to a summary, in small letters without "_"."""

META_KEYS = word_set("""
confidence confidencescore score wordcount words charactercount length sentiment tone style model id
type format status tokens version reasoning
""")
"""Keys of what is known of a summary."""

LINK_WORDS = word_set("""
source sources reference references link links url read more full article story text here see also
original the at on to click via view
""")
"""Words that say of an address only that it is one ("Read more: https://...")."""
