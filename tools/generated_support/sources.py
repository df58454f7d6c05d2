import sys,random,json
sys.path.insert(0,"/work/main/tools")
import build_claims as BC
from collections import defaultdict
rows=[json.loads(l) for l in open("/work/data/claims/claims.jsonl")]
train={r["document"] for r in rows if r["split"]=="train"}
print(len(train), list(train)[:3])
seen=set(); by=defaultdict(list)
for p in sorted((BC.FOLDER/"written").glob("*.txt")):
    kind=p.stem.split("_")[0]
    for e in BC.read(p):
        if e.id in train and e.source not in seen and 70<=len(e.source.split())<=420:
            seen.add(e.source); by[kind].append((e.id,p.stem,e.source))
rng=random.Random(7)
want=dict(chat=260,meeting=220,call=130,news=260,story=240,encyclopaedia=120,science=90,abstract=50,discharge=80,email=130,brief=60,contract=60,earnings=40,howto=40)
out=[]
for k,n in want.items():
    l=by[k]; rng.shuffle(l); print(k,len(l),min(n,len(l)))
    out+=[dict(id=i,file=f,kind=k,source=s) for i,f,s in l[:n]]
rng.shuffle(out)
json.dump(out,open("/work/out/nat/sources.json","w"))
print(len(out))
