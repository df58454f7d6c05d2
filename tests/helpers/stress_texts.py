"""Sources and summaries for the tests of the stress suites, written for them."""

from __future__ import annotations

from faithkit.records import Example

BANK = (
    "Angela Brewster has run the Oakfield Bank since 2011. Brewster told reporters in Berlin on "
    "Monday that the bank will close 17 branches in Germany. The German unions rejected the plan, "
    "which was leaked to the press. The bank made £5 million last year, 12 per cent less than in "
    "2014. Brewster's deputy, Thomas Hartley, defended the plan. Critics praised the unions. "
    "Ferries to the islands were delayed by fog."
)
BANK_SUMMARY = (
    "Angela Brewster will close 17 branches of the bank in Germany. The German unions rejected the "
    "plan. The bank made £5 million last year, 12 per cent less than in 2014."
)
STORM = (
    "A storm destroyed several houses near Harlow on July 7, 2012, when the river rose by four "
    "metres. Rescue workers evacuated nine families. Governor Rick Sallow, a former teacher, "
    "visited the town after the flood. He didn't speak to reporters. More than 3,000 people had "
    "no power. The company repaired the bridge in October. The mayor of the town was not available "
    "for comment. A local bakery handed out bread to the families."
)
STORM_SUMMARY = (
    "A storm destroyed several houses on July 7, 2012. Governor Rick Sallow, a former teacher, "
    "visited the town. He didn't speak to reporters. More than 3,000 people had no power."
)
TRIAL = (
    "Peter Lomax, 54, was arrested by officers in Leeds on Friday. Lomax stole two paintings and "
    "sold them to a dealer. The judge sentenced Lomax to nine years in prison. His lawyer, Maria "
    "Gonzalez, said Lomax's family was unable to pay the fine. The museum, which owns both "
    "paintings, opened in 1962. An alarm failed to ring during the night. Visitors may now buy "
    "tickets at the door."
)
TRIAL_SUMMARY = (
    "Peter Lomax was arrested by officers in Leeds on Friday. Lomax stole two paintings and sold "
    "them to a dealer. The judge sentenced Lomax to nine years in prison. Lomax's family was "
    "unable to pay the fine."
)
FILM = (
    "The studio bought the film in 2009. Sandra Pell began her career in Toronto at 19. Pell "
    "directed the film, which won three prizes at the festival on Sunday. The actress was born on "
    "5 May 1971 in Canada. Critics said the Canadian director had made a “huge” mistake. It was "
    "almost 40 minutes too long. Tickets cost $25 on Tuesdays. The old cinema serves lemonade."
)
FILM_SUMMARY = (
    "Sandra Pell began her career in Toronto. Pell directed the film, which won three prizes at "
    "the festival. The actress was born on 5 May 1971. The studio bought the film in 2009."
)
TEXTS = {
    "bank": (BANK, BANK_SUMMARY),
    "storm": (STORM, STORM_SUMMARY),
    "trial": (TRIAL, TRIAL_SUMMARY),
    "film": (FILM, FILM_SUMMARY),
}


def examples() -> list[Example]:
    """A consistent summary of each source, and one with an error."""
    wrong = {
        "bank": BANK_SUMMARY.replace("17", "18"),
        "storm": STORM_SUMMARY.replace("destroyed", "repaired"),
        "trial": TRIAL_SUMMARY.replace("Leeds", "London"),
        "film": FILM_SUMMARY.replace("three", "four"),
    }
    rows = [Example(f"{name}/ok", *texts, document=name, label=1) for name, texts in TEXTS.items()]
    return rows + [
        Example(f"{name}/wrong", TEXTS[name][0], summary, document=name, label=0)
        for name, summary in wrong.items()
    ]
