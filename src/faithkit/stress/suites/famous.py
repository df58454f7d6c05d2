"""World-famous names, by type, which replace the names of a counterfactual source.

Only data.
"""

from __future__ import annotations


def _listed(text: str) -> list[str]:
    return [" ".join(item.split()) for item in text.split(";")]


# None of them lives: what the made texts say of them is untrue, and may be grave.
MEN = _listed("""
Albert Einstein; Charles Darwin; Isaac Newton; Pablo Picasso; Stephen Hawking; Walt Disney;
Winston Churchill; Charlie Chaplin; Alfred Hitchcock; Ernest Hemingway; Freddie Mercury; Louis
Armstrong; Oscar Wilde; Elvis Presley; Nelson Mandela; Mahatma Gandhi; Abraham Lincoln; Napoleon
Bonaparte; Julius Caesar; Galileo Galilei; Karl Marx; Sigmund Freud; Thomas Edison; Nikola
Tesla; Mark Twain; Frank Sinatra; Bob Marley; Muhammad Ali; John Lennon; David Bowie; Jimi
Hendrix; Humphrey Bogart; Marlon Brando; Christopher Columbus; Marco Polo; Robin Williams; Kirk
Douglas; Charles Dickens; Jesse Owens; Martin Luther King; George Bernard Shaw; John Quincy
Adams; Ralph Waldo Emerson; Arthur Conan Doyle; Edgar Allan Poe; Frank Lloyd Wright; Robert
Louis Stevenson
""")
WOMEN = _listed("""
Marie Curie; Marilyn Monroe; Margaret Thatcher; Audrey Hepburn; Agatha Christie; Whitney
Houston; Rosa Parks; Billie Holiday; Florence Nightingale; Amelia Earhart; Indira Gandhi; Janis
Joplin; Clara Schumann; Frida Kahlo; Virginia Woolf; Ingrid Bergman; Jane Austen; Emily
Dickinson; Anne Frank; Greta Garbo; Edith Piaf; Maria Callas; Coco Chanel; Eva Peron; Rosalind
Franklin; Ada Lovelace; Emmeline Pankhurst; Bette Davis; Tina Turner; Ella Fitzgerald; Harriet
Tubman; Harriet Beecher Stowe; Elizabeth Barrett Browning; Laura Ingalls Wilder
""")
COUNTRIES = dict(
    item.split(":")
    for item in _listed("""
France:French; Germany:German; Italy:Italian; Spain:Spanish; Russia:Russian; China:Chinese;
Japan:Japanese; India:Indian; Brazil:Brazilian; Canada:Canadian; Mexico:Mexican; Egypt:Egyptian;
Australia:Australian; Turkey:Turkish; Poland:Polish; Ireland:Irish; Sweden:Swedish;
Norway:Norwegian; Portugal:Portuguese; Belgium:Belgian; Austria:Austrian; Hungary:Hungarian;
Ukraine:Ukrainian; Iran:Iranian; Iraq:Iraqi; Israel:Israeli; Pakistan:Pakistani;
Indonesia:Indonesian; Malaysia:Malaysian; Vietnam:Vietnamese; Kenya:Kenyan; Nigeria:Nigerian;
Ethiopia:Ethiopian; Morocco:Moroccan; Cuba:Cuban; Colombia:Colombian; Chile:Chilean;
Syria:Syrian; Libya:Libyan; Tunisia:Tunisian; Algeria:Algerian; Denmark:Danish; Finland:Finnish;
Bulgaria:Bulgarian; Romania:Romanian; Croatia:Croatian; Serbia:Serbian; Argentina:Argentine;
Venezuela:Venezuelan; Bangladesh:Bangladeshi; Nepal:Nepalese; Yemen:Yemeni
""")
)
"""A country and what its people and things are called."""

CITIES = _listed("""
Paris; Tokyo; Berlin; Rome; Moscow; Sydney; Toronto; Chicago; Boston; Vienna; Madrid; Istanbul;
Cairo; Dublin; Amsterdam; Barcelona; Shanghai; Mumbai; Singapore; Seattle; Miami; Las Vegas; Los
Angeles; San Francisco; Rio de Janeiro; Hong Kong; Athens; Brussels
""")
STATES = _listed("""
California; Texas; Florida; Alaska; Hawaii; Arizona; Nevada; Ohio; Oregon; Colorado; Montana;
Utah; Alabama; Georgia; Illinois; Indiana; Iowa; Kansas; Kentucky; Louisiana; Maine; Maryland;
Massachusetts; Michigan; Minnesota; Mississippi; Missouri; Nebraska; New Hampshire; New Jersey;
New Mexico; North Carolina; North Dakota; Oklahoma; Pennsylvania; Rhode Island; South Carolina;
South Dakota; Tennessee; Vermont; Virginia; West Virginia; Wisconsin; Wyoming; Arkansas;
Connecticut; Delaware; Idaho
""")
COMPANIES = _listed("""
Google; Microsoft; Amazon; Toyota; Samsung; Nike; Adidas; Sony; Honda; Nokia; Boeing; Airbus;
Siemens; Volkswagen; Netflix; Starbucks; Ikea; Nestle; Ferrari; Intel; Oracle; Philips;
Mercedes; Adobe; Cisco
""")
CLUBS = _listed("""
Arsenal; Chelsea; Liverpool; Everton; Tottenham; Manchester United; Manchester City; Real
Madrid; Barcelona; Juventus; Bayern Munich; Borussia Dortmund; Ajax; Benfica; Porto; Celtic;
Rangers; Atletico Madrid; Inter Milan; Napoli; Roma; Valencia; Sevilla; Aston Villa; Newcastle;
Southampton; Leicester; Swansea; Sunderland; Crystal Palace; Stoke; Hull; Burnley; Leeds;
Monaco; Lyon; Fiorentina; Galatasaray; Wolfsburg; Feyenoord; Marseille
""")
THE_INITIALS = _listed("FBI; CIA; BBC; NBA; NFL; UN; EU; IMF; WHO")
INITIALS = _listed("NATO; NASA; UNESCO; FIFA; UEFA; OPEC; UNICEF")
"""With "the" before them, and without."""
