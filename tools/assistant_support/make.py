import sys,random,json,os,re
sys.path.insert(0,"/work/main/tools")
import build_claims as BC
from collections import defaultdict,Counter
from faithkit.language.sentences import closed_sentences
rows=[json.loads(l) for l in open("/work/data/claims/claims.jsonl")]
train={r["document"] for r in rows if r["split"]=="train"}
used={json.loads(l)["document"] for l in open("/work/main/data/claims/generated.jsonl")}|{s["id"] for s in json.load(open("../nat/sources.json"))}
by=defaultdict(list); seen=set()
for p in sorted((BC.FOLDER/"written").glob("*.txt")):
    kind=p.stem.split("_")[0]
    for e in BC.read(p):
        if e.id in train and e.source not in seen and 60<=len(e.source.split())<=450:
            seen.add(e.source); by[kind].append((e.id in used,e.id,e.source))
rng=random.Random(12)
want=dict(story=190,news=180,chat=110,meeting=90,email=60,encyclopaedia=120,science=60,abstract=50,call=40,brief=50,contract=40,discharge=30,howto=30,earnings=30)
ASKS=["Summarise in 4 to 6 sentences.","Summarise in one dense paragraph.","Give the gist in 2 or 3 long sentences.","Say what happens, why, and how it ends.","Summarise with each person's part, motives and feelings.","List the key points as 4 or 5 full-sentence bullets.","Write a short summary that starts with the outcome.","Summarise for a busy reader in 3 sentences.","Summarise and say what it means overall.","Give an overview: setting, main points, result or next steps."]
def gaps(text):
    units=[l for l in text.split("\n") if l.strip()]
    if len(units)<8: units=[s.text.strip() for l in units for s in closed_sentences(l)]
    n=len(units); k=max(1,round(n*rng.uniform(.25,.45))); runs=rng.choice((1,2,2,3)); out=list(units)
    for _ in range(runs):
        size=max(1,k//runs); at=rng.randrange(1 if n>4 else 0,max(2,n-size+1))
        for i in range(at,min(n,at+size)): out[i]=None
    res=[]
    for u in out:
        if u is None:
            if not res or res[-1]!="[...]": res.append("[...]")
        else: res.append(u)
    return "\n".join(res)
items=[]
for k,n in want.items():
    l=by[k]; rng.shuffle(l); l.sort(key=lambda x:x[0]); print(k,len(l),"unused",sum(not u for u,_,_ in l))
    items+=[dict(id=i,kind=k,source=s,ask=rng.choice(ASKS),shown=gaps(s)) for _,i,s in l[:n]]
rng.shuffle(items)
json.dump(items,open("items.json","w"),ensure_ascii=False)
for h in range(8):
    mine=items[h::8]; d=f"sheets/w{h}"; os.makedirs(d,exist_ok=True); json.dump(mine,open(d+"/items.json","w"),ensure_ascii=False)
    for p in range(0,len(mine),27):
        with open(f"{d}/texts{p//27+1}.txt","w") as f:
            for j,i in enumerate(mine[p:p+27],p+1): f.write(f"##### {j}  ({i['ask']})\n{i['shown']}\n\n")
print(len(items),sum(len(i["shown"].split()) for i in items)/len(items))
