"""units of the generated sentences of both rounds, twice with other budgets; 8% of the sources are kept for looking (inputs in.kept.pkl and kept_rows.pkl)"""
import sys,json,hashlib,time,pickle,dataclasses
import sys; S_=sys.argv[1]
src=open('/work/out/gpu/prep5.py').read(); sys.argv=["x","0"]
exec(src.split("def shard")[0])
sys.path.insert(0,"/work/main/tools"); import build_claims as BC
from faithkit.train.words import Labelled, ENTAILED
from faithkit.train.labels.annotated import ERROR_TARGETS
from faithkit.train.labels.rows import by_spans
from faithkit.train.support_rows import Unit
rows=[json.loads(l) for l in open("/work/data/claims/claims.jsonl") if '"round"' in l]
rows=[r for r in rows if r.get("round") not in (11,12)]
kept=lambda r: int(hashlib.sha256(("nat"+r["document"]).encode()).hexdigest(),16)%100<8
keep=[]; SEED=int(S_)
for name,fam,seeds in [("chat_assistant","assistant",(SEED,))]:
    placed=BC.of_generated(BC.FOLDER/"generated"/f"{name}.jsonl",rows)
    L=[(Labelled("claims[split=train]",r["document"],r["source"],r["summary"],tuple(by_spans(r["summary"],[(a,b) for a,b,_ in r["spans"]])),ENTAILED if r["label"] else ERROR_TARGETS[r["error_types"][0]],r["pair"]),kept(r)) for r in placed]
    print(name,len(L),sum(k for _,k in L),sum(r["label"] for r in placed),flush=True)
    us=[]
    for k,seed in enumerate(seeds):
        o=Options(most=most,budget=(60,340),seed=seed)
        for u in units(list(pieces([l for l,k_ in L if not k_])),tok,390): us.append(dataclasses.replace(u,family=fam,draw=k))
    o=Options(most=most,budget=(60,340),seed=seeds[0])
    save(f"/work/out/gpu2/nat_{fam}_{SEED}.npz",us,[fam]); print("units",len(us),time.time()-t,flush=True)
    keep+=[(name,l,"/corrected" in p["id"]) for p,(l,k) in zip(placed,L) if k]
pass
from faithkit.train import support_calibration as C
from faithkit import models
from faithkit.models.runtime import Runtime
