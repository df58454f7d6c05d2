"""one draw: all training rows as before (fewer of what is seen often), with unlabelled sentences for the teacher. prep5.py SEED"""
import sys, time
from multiprocessing import get_context
import numpy as np
from pathlib import Path
from faithkit import models
from faithkit.support.encoders import read_tokenizer
from faithkit.train.support import input_of
from faithkit.train.unlabelled import unlabelled
from faithkit.train.support_rows import Options, training_rows, sampled, pieces, units
place, shown = models.resolve("tokens", "base", offline=True)
files = "xsumfaith_dev bump1 summedits_news summedits_podcast summedits_sales_email summedits_sales_call wice_dev begin wice_tokens_train wice_tokens_dev lss_dev defacto_dev fm2 fever_symmetric cg2c_doc nli_pairs claims_train squad_v2_dev".split()
SEED=int(sys.argv[1])
most = {"science":0,"conjnli":0,"nli":16000,"questions":2500,"edited":9000,"speakers":4000,"relations":3000,"made":4000,"paraphrased":1500,"non_claims":600,"knowledge_replies":2500}
o = Options(most=most, repeat={"claims":1}, made=3, edited=9000, documents=300, batch=64, budget=(60,340), seed=SEED)
t=time.time()
def key(text): import hashlib; return int(hashlib.sha256(text.encode()).hexdigest()[:8],16)
tok=read_tokenizer(place)
def save(path,us,fams):
    out={k:[] for k in "ids codes len claim owner owner_len labels words target non_claim family".split()}
    for u in us:
        i=input_of(u,o); assert len(u.labels)==i.words and i.claim==len(i.owner)+2
        out["ids"].append(i.ids.astype(np.uint16)); out["codes"].append(i.codes.astype(np.uint8)); out["len"].append(len(i.ids)); out["claim"].append(i.claim)
        out["owner"].append(i.owner.astype(np.int16)); out["owner_len"].append(len(i.owner)); out["labels"].append(u.labels.astype(np.float16)); out["words"].append(i.words)
        out["target"].append(u.target.astype(np.float16)); out["non_claim"].append(u.non_claim); out["family"].append(fams.index(u.family))
    np.savez(path, fams=np.array(fams), **{k:np.concatenate(out[k]) for k in ("ids","codes","owner","labels")}, target=np.stack(out["target"]),
     **{k:np.array(out[k]) for k in ("len","claim","owner_len","words","non_claim","family")})
def shard(n):
    mine=[p for p in drawn if key(p.row.document)%2==n]; mine.sort(key=lambda p:(p.row.document,p.row.file))
    us=[]
    for s in range(0,len(mine),2000):
        us+=units(mine[s:s+2000],tok,390)
        if s%20000==0: print(n,s,len(us),round(time.time()-t),flush=True)
    a=len(us); r=__import__("random").Random(SEED)
    us+=unlabelled([p for p in mine if r.random()<.5],tok,390,SEED)
    print(n,a,"unlabelled",len(us)-a,round(time.time()-t),flush=True)
    save(f"/work/out/gpu/v5_{n}.npz",us,sorted({u.family for u in us})); print(n,"saved",flush=True)
if __name__=="__main__":
    rows = training_rows(Path("/work/data"), o, print, files)
    drawn = sampled(pieces(rows), o)
    print(len(drawn), time.time()-t, flush=True)
    c=get_context("fork"); ps=[c.Process(target=shard,args=(n,)) for n in (0,1)]
    [p.start() for p in ps]; [p.join() for p in ps]; print("done",[p.exitcode for p in ps],time.time()-t)
