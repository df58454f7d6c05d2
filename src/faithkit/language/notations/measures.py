"""Names of units, of how often and of what is numbered, each as it is written and in full.

Only data lives here. Numbers, scales and currencies are in `lexicon.py`.
"""

from __future__ import annotations

from faithkit.language.lexicon import CURRENCY_CODES


def _listed(text: str) -> list[str]:
    return text.split()


def _table(text: str) -> dict[str, str]:
    """ "km, kms=kilometres; ..." as each short form with its full one."""
    return {
        short.strip(): full
        for shorts, _, full in (entry.strip().partition("=") for entry in text.split(";"))
        for short in shorts.split(",")
    }


UNITS = CURRENCY_CODES | _table("""
%, per cent, pct=percent; km, kilometers=kilometres; cm, centimeters=centimetres;
millimeters=millimetres; meters=metres; sq km, km2, km², square kilometers=square kilometres;
m², sqm, sq m, sq. m, square meters=square metres; m³, cu m, cubic meters=cubic metres;
sq ft, sq. ft=square feet; kg, kilos=kilograms; mcg, µg, μg=micrograms; lb, lbs=pounds;
oz=ounces; mi=miles; sq mi=square miles; microns, micron=micrometres;
tsp, tsps=teaspoons; tbsp, tbsps, tbs=tablespoons; fl oz, fl. oz=fluid ounces; gal=gallons;
milliliters=millilitres; liters=litres; mph=miles per hour;
kph, km/h, km/hr=kilometres per hour; m/s=metres per second; ft=feet; yrs, yr=years; hrs, hr=hours;
mins, min=minutes; secs, sec=seconds; mths, mth=months; wks, wk=weeks;
mmhg, mm hg=millimetres of mercury; bpm=beats per minute; mmol=millimoles; nmol=nanomoles;
pmol=picomoles; µmol, μmol, umol, micromol=micromoles; meq=milliequivalents;
°=degrees; °c, ° c, degrees c, degree c, deg c, degrees centigrade=degrees Celsius;
°f, ° f, degrees f, degree f, deg f=degrees Fahrenheit; zł, zlotys, złoty, złotych=zloty;
us dollars, u.s. dollars=dollars; $=dollars; £=pounds; €=euros; renminbi=yuan;
kts=knots; mbar, mbars, hectopascals, hectopascal=millibars; base-pairs=base pairs;
kilo-ohms, kilohms, kohms, kohm=kiloohms; megohms, mega-ohms=megaohms;
ppm=parts per million; ppb=parts per billion; tev=teraelectronvolts
""")
"""Abbreviated units, each with its full name in the plural."""
CASED_UNITS = _table("""
mos, mo=months; ha=hectares; cl=centilitres; µl, μl, ul, µL, μL, uL=microlitres;
µm, μm=micrometres; m2=square metres; m3=cubic metres; cm2, cm²=square centimetres;
cm3, cm³=cubic centimetres; ft2, ft²=square feet; ms=milliseconds;
kJ=kilojoules; hPa=millibars; Ω=ohms; kΩ=kiloohms; MΩ=megaohms;
pF=picofarads; nF=nanofarads; µF, μF, uF=microfarads; nH=nanohenries;
µH, μH, uH=microhenries; mH=millihenries; µA, μA, uA=microamps; eV=electronvolts; mol=moles;
Mpc=megaparsecs; kpc=kiloparsecs; kcal=kilocalories; kN=kilonewtons;
mm=millimetres; mg, MG=milligrams; ug=micrograms; ml, mL, Ml=millilitres; dL=decilitres;
kB, KB=kilobytes; MB=megabytes; GB, gb=gigabytes; KiB=kibibytes; MiB=mebibytes; GiB=gibibytes;
TiB=tebibytes; kbps, Kbps, kbit/s, kb/s=kilobits per second;
Mbps, mbps, Mbit/s, Mb/s=megabits per second; Gbps, gbps, Gbit/s, Gb/s=gigabits per second;
MBps, MB/s=megabytes per second; GBps, GB/s=gigabytes per second;
mW=milliwatts; kW=kilowatts; MW=megawatts; GW=gigawatts; TW=terawatts; kWh=kilowatt hours;
MWh=megawatt hours; GWh=gigawatt hours; TWh=terawatt hours; µs, μs=microseconds;
Hz=hertz; kHz=kilohertz; MHz=megahertz; GHz=gigahertz;
mV=millivolts; kV=kilovolts; mA=milliamps; mPa=millipascals; kPa=kilopascals; MPa=megapascals;
keV=kiloelectronvolts; meV=millielectronvolts; MeV=megaelectronvolts; GeV=gigaelectronvolts;
mSv, MSV=millisieverts; µSv, μSv, uSv=microsieverts; mGy=milligrays; mM=millimolar;
µM, μM=micromolar; nM=nanomolar
""")
"""Units whose capitals tell them from others ("Mb" are megabits, "MM" are millions)."""
PER_UNITS = _table("""
l, liter, litre=litre; dl=decilitre; ml=millilitre; µl, μl, ul=microlitre; kg=kilogram; g=gram;
mg=milligram; mm3, mm³=cubic millimetre; cm3, cm³=cubic centimetre; m3, m³=cubic metre;
m2, m²=square metre; 1.73m2, 1.73 m2, 1.73m², 1.73 m²=1.73 square metres;
cm2, cm²=square centimetre; km2, km²=square kilometre; km=kilometre; mile=mile; ft=foot;
acre=acre; hectare=hectare; mol=mole;
s, sec, second=second; min, minute=minute; h, hr, hour=hour; d, day=day; night=night;
wk, week=week; mo, mth, month=month; quarter=quarter; yr, year=year; mwh=megawatt hour;
kwh=kilowatt hour; lb=pound; oz=ounce; tonne=tonne; ton=ton; barrel=barrel; bbl=barrel;
gallon=gallon; person=person; share=share; dose=dose; cell=cell; household=household
""")
"""What follows "/" or "per" after an amount, each with its full name."""
ONE_UNIT = _table("""
tsp=a teaspoon; tbsp, tbs=a tablespoon; hr=an hour; lb=a pound; oz=an ounce; kg=a kilogram;
km=a kilometre; gal=a gallon; mi=a mile; yr=a year
""")
"""Abbreviated units, each with what follows "half"."""
ONE_UNIT_IN_FULL = _table("""
teaspoon, teaspoons=a teaspoon; tablespoon, tablespoons=a tablespoon; cup, cups=a cup;
pint, pints=a pint; quart=a quart; litre, liter=a litre; gallon=a gallon;
pound=a pound; ounce=an ounce; hour=an hour; day=a day; year=a year; mile=a mile;
inch=an inch
""")
"""Units in full, each with what follows "half"."""
EVENTS = _table("""
rps, RPS, req/s, reqs/s, req/sec, requests/s=requests per second;
req/min, reqs/min=requests per minute; qps, QPS=queries per second;
TPS, tps=transactions per second; tok/s, tokens/s=tokens per second;
tok/min=tokens per minute; msgs/s, msg/s, messages/s=messages per second;
ops/s=operations per second
""")
"""Counts of events by time."""
OF_INTERFACES = _table("RPM, rpm=requests per minute; TPM, tpm=tokens per minute")
"""Those that are others outside texts about interfaces: "RPM" are turns per minute."""
COUNTED_BY_PARTS = _listed("cups stars inches pints days weeks times points")
"""Other nouns that a number with decimals precedes: "4.8 stars"."""
DOSES = _listed(
    "milligrams? micrograms? grams? millilitres? units? tablets? tabs? capsules? caps? puffs? "
    "sprays? sachets? lozenges?"
)
"""What a dose is counted in, after which "od" and "bd" say how often."""
ROUTES = _listed("po p.o. iv i.v. im sc s.c. sl oral orally subcut neb nebs")
"""How a dose is given, where it stands before how often."""
FREQUENCIES = {
    "od": "once", "o.d": "once", "qd": "once", "q.d": "once",
    "bd": "twice", "b.d": "twice", "bid": "twice", "b.i.d": "twice",
    "tds": "3 times", "t.d.s": "3 times", "tid": "3 times", "t.i.d": "3 times",
    "qds": "4 times", "q.d.s": "4 times", "qid": "4 times", "q.i.d": "4 times",
}  # fmt: skip
"""How often a day, as prescriptions say it."""
RATES = {
    "hour": "p/h p.h. ph",
    "night": "p/n p.n. pn",
    "week": "p/w p.w. pw",
    "month": "p/m p.m. pm p.c.m. pcm",
    "year": "p.a. pa",
    "person": "p.p. pp",
    "person per night": "p.p.p.n. pppn",
}
"""Nouns, and how "per" and the noun are abbreviated after an amount of money."""
PERIODS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
NUMBERED = _listed(
    "type stage phase class grade article chapter part volume act title section book annex "
    "appendix schedule"
)
"""Nouns that a Roman numeral follows: "type II"."""
AFTER_FIRST = _listed(
    "of is are has trials? study studies clinical diabetes diabetics? errors? disease cancer "
    "collagen"
)
"""Words before which "I" after such a noun is a numeral: "type I diabetes"."""
CLAUSES = _listed("clause section article item paragraph rule note schedule")
LABELS = _listed("form case seat flat roll lot apartment suite bus route model platform")
"""Nouns that a number with a letter follows: "clause 5k", "flat 5k"."""
