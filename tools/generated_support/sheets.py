import json,random,re,os
from collections import Counter,defaultdict
from faithkit.language.sentences import closed_sentences
from faithkit.language.normalise import plain_source
S={s["id"]:s for s in json.load(open("sources.json"))}
G=json.load(open("gen.json"))
norm=lambda t:re.sub(r"[^a-z0-9]+"," ",t.lower()).strip()
items=[]; c=Counter()
for g in G:
    src=norm(S[g["id"]]["source"]); text=re.sub(r"\s*\n+\s*"," ",g["text"]); text=re.sub(r"\*\*|^#+ |^- ","",text)
    sents=[s.text.strip() for s in closed_sentences(text)]
    sents=[s for s in sents if len(s.split())>=4][:5]
    rows=[(s,norm(s) in src) for s in sents]
    new=[s for s,k in rows if not k]
    # transcripts copied line by line
    if not new or len(new)<len(rows)/2: c["copied"]+=1; continue
    if any(re.match(r"^[A-Z]\w+( \(.*?\))?:",s) for s in new): c["turns"]+=1; continue
    if len(set(norm(s) for s in sents))<len(sents): c["loop"]+=1; continue
    items.append(dict(id=g["id"],kind=S[g["id"]]["kind"],ask=g["ask"],sentences=rows))
print(c,len(items),Counter(i["kind"] for i in items))
rng=random.Random(11); rng.shuffle(items)
first,second=[],[]; seen=set()
for i in items: (second if i["id"] in seen else first).append(i); seen.add(i["id"])
print(len(first),len(second),sum(sum(not k for _,k in i["sentences"]) for i in first),sum(sum(not k for _,k in i["sentences"]) for i in second))
json.dump(dict(first=first,second=second),open("items.json","w"))
def write(wave,items):
    n=8
    for h in range(n):
        mine=items[h::n]; d=f"sheets/{wave}{h}"; os.makedirs(d,exist_ok=True)
        for p in range(0,len(mine),28):
            with open(f"{d}/part{p//28+1}.txt","w") as f:
                for j,i in enumerate(mine[p:p+28],p+1):
                    f.write(f"##### {j}\nSOURCE:\n{S[i['id']]['source']}\n\nSUMMARY:\n")
                    n_=0
                    for s,k in i["sentences"]:
                        n_+=1; f.write((f"(copied) {s}\n" if k else f"[{j}.{n_}] {s}\n"))
                    f.write("\n")
        json.dump(mine,open(f"{d}/items.json","w"))
write("a",first)
