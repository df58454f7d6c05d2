"""Code in several languages, and English in the layout of code, written for these tests. CC0."""

from __future__ import annotations

CODE: dict[str, str] = {
    "Python": (
        "import os\n\ndef main(path):\n    for one in os.listdir(path):\n        print(one)\n"
        "x = 1\n"
    ),
    "Python, imports": (
        "from pathlib import Path\nfrom typing import Any\nimport json\n"
        "from tools.files import read\nfrom tools.words import count\n"
    ),
    "JavaScript": (
        "const bridge = open('bridge');\nlet days = 3;\nfunction wait(n) {\n  days += n;\n"
        "  return days;\n}\nwait(2);\n"
    ),
    "TypeScript": (
        "// Whether the bridge of the town was open on the day.\nfunction isOpen(day: Day) {\n"
        "  const found = days.get(day);\n  return found === 'open';\n}\n"
    ),
    "C": (
        "#include <stdio.h>\n/* The number of days that the bridge was shut. */\n"
        "int main(void) {\n    int days = 3;\n    while (days > 0) {\n        days--;\n    }\n"
        "    return 0;\n}\n"
    ),
    "Java": (
        "package town;\nimport java.util.List;\npublic class Bridge {\n"
        "    private final List<String> days;\n    public int size() {\n"
        "        return days.size();\n    }\n}\n"
    ),
    "Rust": (
        "use std::fs;\nfn main() {\n    let days = 3;\n    let text = fs::read(\"a\").unwrap();\n"
        "    println!(\"{}\", days);\n}\n"
    ),
    "CSS": ".bridge {\n  color: red;\n  margin: 0 auto;\n}\n.town {\n  color: blue;\n}\n",
    "SQL": (
        "INSERT INTO bridges (name, days) VALUES ('Calder', 3);\n"
        "UPDATE bridges SET days = 4 WHERE name = 'Calder';\n"
        "DELETE FROM bridges WHERE days >= 30;\nALTER TABLE bridges ADD COLUMN town_name TEXT;\n"
        "DROP TABLE old_bridges;\n"
    ),
    "HTML": (
        '<html>\n<head>\n<meta charset="utf-8">\n<link rel="stylesheet" href="a.css">\n'
        '<script src="a.js"></script>\n</head>\n<body class="page">\n<form id="f">\n</form>\n'
        "</body>\n</html>\n"
    ),
    "XML": (
        "<bridge>\n  <name>Calder</name>\n  <days>3</days>\n  <open>false</open>\n</bridge>\n"
    ),
    "a page in JSX": (
        "function Page() {\n  return (\n    <Card>\n      <b>Opening hours</b>\n"
        "      <Row>{hours}</Row>\n    </Card>\n  );\n}\n"
    ),
    "settings": (
        'name = "bridge"\nversion = "1.2"\nlicense = "MIT"\nkeywords = ["town", "days"]\n'
        "strict = true\n"
    ),
}  # fmt: skip

ENGLISH_AS_CODE: dict[str, str] = {
    "a page in HTML": (
        '<h1 class="a">Returns</h1>\n<p>You have 30 days.</p>\n<ul>\n<li>Keep the box</li>\n'
        "<li>Send the form</li>\n</ul>\n<p>Refunds take 14 days.</p>\n"
    ),
    "a table in HTML": (
        "<table>\n<tr><th>Plan</th><th>Price</th></tr>\n<tr><td>Basic</td><td>5</td></tr>\n"
        "<tr><td>Pro</td><td>15</td></tr>\n<tr><td>Max</td><td>25</td></tr>\n</table>\n"
    ),
    "a ticket in XML": (
        "<ticket>\n<status>closed</status>\n<assignee>Kofi Mensah</assignee>\n"
        "<text>The refund is late again.</text>\n</ticket>\n"
    ),
    "documents in XML": (
        '<documents>\n<document index="1">\n<source>faq.txt</source>\n<document_content>\n'
        "Refunds take ten days.\n</document_content>\n</document>\n</documents>\n"
    ),
    "rows in TOML": (
        '[[employee]]\nname = "Anna Lee"\nteam = "sales"\n\n[[employee]]\nname = "Ben Day"\n'
        'team_lead = "Anna Lee"\n'
    ),
    "settings in capitals": (
        "# database\nDB_HOST=db-03\nDB_PORT=5432\nexport CACHE_TTL=300\nREGION=eu-west-1\n"
    ),
    "chat about code": (
        "@tom: Why is the api_key rejected on staging?\n@anna: It expired on Monday.\n"
        "@tom: And the db_host setting?\n@anna: Points to db-02 now.\n@tom: Then I deploy it.\n"
    ),
    "phone numbers": (
        "Support +44 20 7946 0958\nSales +44 20 7946 0123\nBilling +44 20 7946 0456\n"
        "Press +44 20 7946 0789\n"
    ),
    "chat with <names>": (
        "<anna> are we on for lunch\n<ben> yes but i am late\n<anna> ok then\n<ben> bring keys\n"
        "<anna> sure\n"
    ),
    "chat with @names": (
        "@anna_b are we on for lunch\n@ben yes but late\n@anna_b ok then\n@ben bring keys\n"
        "@anna_b sure\n"
    ),
    "tweets": (
        "@news The fire at the plant is out.\n@paper Three people were hurt in the fire.\n"
        "@mayor_leeds We thank the fire crews.\n@news The cause is not known.\n"
        "@paper The plant stays closed until Monday (see tinyurl.com/fire_leeds).\n"
    ),
    "contract": (
        "The tenant shall:\npay the rent on the first of each month;\n"
        "keep the garden in good order;\ninsure the item(s) of clause 3(b);\n"
        "not keep any animals;\nreturn the keys at the end of the term.\n"
    ),
    "minutes": (
        "Present: A. Lee, B. Cho, C. Diaz;\nApologies: D. Fox;\nMinutes of 3 May: approved;\n"
        "Treasurer: balance £312.40;\nContact: club_sec@village.org, www.club_of.village.org;\n"
        "Hall: keys_box@village.org;\n"
    ),
    "kit list": (
        "sleeping bag;\nwaterproof coat (labelled);\ntwo pairs of socks;\nwash kit;\n"
        "spending money (£10) => give to Ms Bell;\ntorch;\n"
    ),
    "verse": (
        "Shall I compare thee to a summer's day;\nThou art more lovely and more temperate;\n"
        "Rough winds do shake the darling buds of May;\n"
        "And summer's lease hath all too short a date;\n"
        "Sometime too hot the eye of heaven shines;\n"
    ),
    "paragraphs of HTML": (
        "<p>Three people were hurt on Monday when a fire broke out in Leeds.</p>\n"
        "<p>The cause is not known.</p>\n<p>The plant stays closed.</p>\n"
        '<p>It employs 300 people, the <a href="/mayor">mayor</a> said.</p>\n'
        "<p>She will visit it.</p>\n"
    ),
    "tasks": (
        "return the form by Monday\nreturn the keys\nreturn the books to the library\n"
        "return the badge to HR\nreturn the laptop to IT\n"
    ),
    "specification": (
        "Width = 30 cm\nHeight = 50 cm\nDepth = 20 cm\nWeight = 3 kg\nColour = red\n"
    ),
    "scores": (
        "Anna beat Maria 6-3, 6-4, 7-6. Ben lost. 1-6, 7-6, 6-1, 3-6, 6-4, 6-4 6-3 6-2 6-1 7-5 6-4 "
        "6-3 6-2 6-1 7-5 6-4, 6-1, 6-2\n"
    ),
}  # fmt: skip
