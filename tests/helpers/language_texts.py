"""Texts in other languages than English, written for these tests: of each language a short, a
middling and a long one. CC0."""

from __future__ import annotations

OTHER: dict[str, tuple[str, str, str]] = {
    "French": (
        "Le pont rouvrira lundi prochain.",
        "La mairie a annoncé que le pont serait fermé pendant trois mois pour des travaux.",
        "Le conseil municipal a voté mardi soir la construction d'une nouvelle bibliothèque. Les "
        "travaux doivent commencer en mars et coûteront près de deux millions d'euros. Deux élus "
        "de l'opposition ont voté contre le projet, qu'ils jugent trop cher.",
    ),
    "German": (
        "Die Brücke wird am Montag geöffnet.",
        "Der Stadtrat stimmte am Dienstag für den Bau einer neuen Bibliothek in der Innenstadt.",
        "Der Stadtrat hat am Dienstag beschlossen, eine neue Bibliothek zu bauen. Die Arbeiten "
        "sollen im März beginnen und etwa zwei Millionen Euro kosten. Zwei Mitglieder stimmten "
        "gegen den Plan, weil sie ihn für zu teuer halten.",
    ),
    "Spanish": (
        "El puente se abrirá el lunes.",
        "El ayuntamiento anunció que el puente estará cerrado durante tres meses por obras.",
        "El pleno aprobó el martes la construcción de una nueva biblioteca en el centro. Las obras "
        "empezarán en marzo y costarán casi dos millones de euros. Dos concejales votaron en "
        "contra porque el proyecto les parece demasiado caro.",
    ),
    "Italian": (
        "Il ponte riaprirà lunedì mattina.",
        "Il comune ha annunciato che il ponte resterà chiuso per tre mesi a causa dei lavori.",
        "Il consiglio comunale ha approvato martedì la costruzione di una nuova biblioteca. I "
        "lavori cominceranno a marzo e costeranno quasi due milioni di euro. Due consiglieri hanno "
        "votato contro perché ritengono che il progetto sia troppo caro.",
    ),
    "Portuguese": (
        "A ponte vai abrir na segunda-feira.",
        "A câmara anunciou que a ponte estará fechada durante três meses por causa das obras.",
        "A câmara municipal aprovou na terça-feira a construção de uma nova biblioteca. As obras "
        "vão começar em março e vão custar quase dois milhões de euros. Dois vereadores votaram "
        "contra, porque acham que o projeto é caro demais.",
    ),
    "Dutch": (
        "De brug gaat maandag weer open.",
        "De gemeente heeft bekendgemaakt dat de brug drie maanden dicht blijft voor herstel.",
        "De gemeenteraad heeft dinsdag besloten om een nieuwe bibliotheek te bouwen. Het werk moet "
        "in maart beginnen en kost bijna twee miljoen euro. Twee raadsleden stemden tegen, omdat "
        "ze het plan veel te duur vinden.",
    ),
    "Swedish": (
        "Bron öppnar igen på måndag.",
        "Kommunen meddelade att bron ska vara stängd i tre månader på grund av reparationer.",
        "Kommunfullmäktige beslutade på tisdagen att bygga ett nytt bibliotek. Arbetet ska börja i "
        "mars och kommer att kosta nästan två miljoner euro. Två ledamöter röstade emot eftersom "
        "de tycker att planen är för dyr.",
    ),
    "Danish": (
        "Broen åbner igen på mandag.",
        "Kommunen oplyser, at broen vil være lukket i tre måneder på grund af reparationer.",
        "Byrådet besluttede tirsdag at bygge et nyt bibliotek. Arbejdet skal begynde til marts og "
        "kommer til at koste næsten to millioner euro. To medlemmer stemte imod, fordi de synes, "
        "at planen er alt for dyr.",
    ),
    "Finnish": (
        "Silta avataan uudelleen maanantaina.",
        "Kaupunki ilmoitti, että silta on suljettu kolmen kuukauden ajan korjausten vuoksi.",
        "Kaupunginvaltuusto päätti tiistaina rakentaa uuden kirjaston. Työt alkavat maaliskuussa "
        "ja maksavat lähes kaksi miljoonaa euroa. Kaksi valtuutettua äänesti vastaan, koska "
        "heidän mielestään hanke on liian kallis.",
    ),
    "Polish": (
        "Most zostanie otwarty w poniedziałek.",
        "Władze miasta ogłosiły, że most będzie zamknięty przez trzy miesiące z powodu remontu.",
        "Rada miasta zdecydowała we wtorek o budowie nowej biblioteki. Prace mają rozpocząć się w "
        "marcu i będą kosztować prawie dwa miliony euro. Dwóch radnych głosowało przeciw, bo "
        "uważają, że projekt jest zbyt drogi.",
    ),
    "Czech": (
        "Most bude otevřen v pondělí.",
        "Město oznámilo, že most bude kvůli opravám tři měsíce uzavřen pro veškerou dopravu.",
        "Zastupitelstvo v úterý rozhodlo o stavbě nové knihovny. Práce mají začít v březnu a budou "
        "stát téměř dva miliony eur. Dva zastupitelé hlasovali proti, protože se jim plán zdá "
        "příliš drahý.",
    ),
    "Turkish": (
        "Köprü pazartesi günü yeniden açılacak.",
        "Belediye, köprünün onarım nedeniyle üç ay boyunca kapalı kalacağını açıkladı.",
        "Belediye meclisi salı günü yeni bir kütüphane yapılmasına karar verdi. Çalışmalar mart "
        "ayında başlayacak ve yaklaşık iki milyon avroya mal olacak. İki üye, planın çok pahalı "
        "olduğunu düşündükleri için karşı oy kullandı.",
    ),
    "Hungarian": (
        "A híd hétfőn újra megnyílik.",
        "A város bejelentette, hogy a híd három hónapig zárva lesz a felújítás miatt.",
        "A városi tanács kedden úgy döntött, hogy új könyvtárat épít. A munka márciusban kezdődik, "
        "és majdnem kétmillió euróba kerül. Két képviselő nemmel szavazott, mert szerintük a terv "
        "túl drága.",
    ),
    "Romanian": (
        "Podul se va redeschide luni.",
        "Primăria a anunțat că podul va fi închis timp de trei luni din cauza lucrărilor.",
        "Consiliul local a hotărât marți să construiască o nouă bibliotecă. Lucrările vor începe "
        "în martie și vor costa aproape două milioane de euro. Doi consilieri au votat împotrivă, "
        "pentru că li se pare prea scump.",
    ),
    "Indonesian": (
        "Jembatan itu akan dibuka pada hari Senin.",
        "Pemerintah kota mengumumkan bahwa jembatan akan ditutup selama tiga bulan.",
        "Dewan kota memutuskan pada hari Selasa untuk membangun perpustakaan baru. Pekerjaan akan "
        "dimulai pada bulan Maret dan menelan biaya hampir dua juta euro. Dua anggota menolak "
        "karena rencana itu terlalu mahal.",
    ),
    "Vietnamese": (
        "Cây cầu sẽ mở lại vào thứ Hai.",
        "Thành phố thông báo rằng cây cầu sẽ đóng cửa trong ba tháng để sửa chữa.",
        "Hội đồng thành phố đã quyết định vào thứ Ba xây một thư viện mới. Công việc sẽ bắt đầu "
        "vào tháng Ba và tốn gần hai triệu euro. Hai thành viên đã bỏ phiếu chống vì họ cho rằng "
        "kế hoạch quá đắt.",
    ),
    "Russian": (
        "Мост откроют в понедельник.",
        "Городские власти сообщили, что мост закроют на три месяца из-за ремонта.",
        "Городской совет во вторник решил построить новую библиотеку. Работы начнутся в марте и "
        "обойдутся почти в два миллиона евро. Двое депутатов проголосовали против, потому что "
        "считают план слишком дорогим.",
    ),
    "Greek": (
        "Η γέφυρα ανοίγει τη Δευτέρα.",
        "Ο δήμος ανακοίνωσε ότι η γέφυρα θα μείνει κλειστή για τρεις μήνες λόγω έργων.",
        "Το δημοτικό συμβούλιο αποφάσισε την Τρίτη να χτίσει μια νέα βιβλιοθήκη. Οι εργασίες θα "
        "αρχίσουν τον Μάρτιο και θα κοστίσουν σχεδόν δύο εκατομμύρια ευρώ.",
    ),
    "Arabic": (
        "سيفتح الجسر يوم الاثنين.",
        "أعلنت البلدية أن الجسر سيبقى مغلقا لمدة ثلاثة أشهر بسبب أعمال الصيانة.",
        "قرر مجلس المدينة يوم الثلاثاء بناء مكتبة جديدة. ستبدأ الأعمال في مارس وستكلف ما يقرب من "
        "مليوني يورو. صوت عضوان ضد الخطة لأنها باهظة الثمن.",
    ),
    "Chinese": (
        "大桥将于周一重新开放。",
        "市政府宣布，大桥因维修将关闭三个月，公交车改道行驶。",
        "市议会周二决定修建一座新的图书馆。工程将于三月开始，耗资近两百万欧元。两名议员投了反对票，"
        "因为他们认为计划太贵。",
    ),
    "Japanese": (
        "橋は月曜日に再開する。",
        "市は、橋が修理のため三か月間閉鎖されると発表した。",
        "市議会は火曜日、新しい図書館の建設を決めた。工事は三月に始まり、費用は約二百万ユーロになる。"
        "二人の議員は高すぎるとして反対した。",
    ),
    "Hindi": (
        "पुल सोमवार को फिर खुलेगा।",
        "नगर परिषद ने बताया कि मरम्मत के कारण पुल तीन महीने तक बंद रहेगा।",
        "नगर परिषद ने मंगलवार को एक नया पुस्तकालय बनाने का फैसला किया। काम मार्च में शुरू होगा और "
        "लगभग बीस लाख यूरो खर्च होंगे।",
    ),
    "Korean": (
        "다리는 월요일에 다시 열린다.",
        "시는 보수 공사 때문에 다리를 석 달 동안 폐쇄한다고 발표했다.",
        "시의회는 화요일에 새 도서관을 짓기로 결정했다. 공사는 3월에 시작되며 약 2백만 "
        "유로가 든다. 의원 두 명은 계획이 너무 비싸다며 반대했다.",
    ),
}

ENGLISH: tuple[str, ...] = (
    "Na 131, K 4.9.",
    "Hb 98, WCC 18.2, Plt 410, Na 131, K 4.9, Ur 12.4, Cr 142, CRP 212",
    "Brookfield",
    "Angelina Jolie, Brad Pitt, Shiloh Jolie-Pitt.",
    "Juan Martin del Potro beats Novak Djokovic in Madrid",
    "Real Madrid 2-1 Paris Saint-Germain: Modric, Mbappe",
    "bayern munich beat borussia dortmund 3-1",
    "Schwarzenegger, von der Leyen meet Macron in Aix-en-Provence",
    "lewandowski scores twice; müller injured",
    "El Niño brings record rains to Peru",
    'She said "c\'est la vie" and left.',
    'The slogan "Liberté, égalité, fraternité" was painted on the wall of the Élysée on Monday.',
    'Merkel told reporters "Wir schaffen das" when she was asked about the refugees.',
    "The Russian word for it is “мост”, she explained.",
    "Tokyo (東京) is the capital of Japan.",
    "Yes, sure, bye!",
    "Hola! r u coming 2 nite? xx",
    "Rafael Nadal, Roger Federer, Andy Murray, Stan Wawrinka, Juan Monaco, Tomas Berdych",
    "Sale: -30% off, was £12.99, now £8.99",
    "3-1",
)
"""English, or too little to say: names, headlines, small letters, quotations, chat."""
