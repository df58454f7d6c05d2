"""prep_nat.py GENERATED SEEDS...: units of the generated sentences, once for each seed; 8% of the sources are kept for looking"""
import sys,json,hashlib,time
src=open('/work/out/gpu/prep5.py').read(); path=sys.argv[1]; seeds=list(map(int,sys.argv[2:])); sys.argv=["x","0"]
exec(src.split("def shard")[0])
sys.path.insert(0,"/work/main/tools"); import build_claims as BC
from faithkit.train.words import Labelled, ENTAILED
from faithkit.train.labels.annotated import ERROR_TARGETS
from faithkit.train.labels.rows import by_spans
rows=[json.loads(l) for l in open("/work/data/claims/claims.jsonl") if '"round"' in l]
rows=[r for r in rows if r.get("round")!=11]
placed=BC.of_generated(Path(path),rows)
kept=lambda r: int(hashlib.sha256(("nat"+r["document"]).encode()).hexdigest(),16)%100<8
L=[(Labelled("claims[split=train]",r["document"],r["source"],r["summary"],tuple(by_spans(r["summary"],[(a,b) for a,b,_ in r["spans"]])),ENTAILED if r["label"] else ERROR_TARGETS[r["error_types"][0]],r["pair"]),kept(r)) for r in placed]
print(len(L),sum(k for _,k in L),sum(r["label"] for r in placed))
import dataclasses
from faithkit.train.support_rows import Unit
us=[]
for k,seed in enumerate(seeds):
    o=Options(most=most,budget=(60,340),seed=seed)
    for u in units(list(pieces([l for l,k_ in L if not k_])),tok,390): us.append(dataclasses.replace(u,family="natural",draw=k))
o=Options(most=most,budget=(60,340),seed=seeds[0])
save("/work/out/gpu/nat_0.npz",us,["natural"])
json.dump([p["id"] for p,(l,k) in zip(placed,L) if k],open("/work/out/gpu/nat_kept.json","w"))
print("units",len(us),time.time()-t)
