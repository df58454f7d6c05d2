"""prep.py SHARD OF: units for training as flat arrays, /work/out/gpu/units_SHARD.npz"""
import sys, time, hashlib, random
import numpy as np
from pathlib import Path
from faithkit import models
from faithkit.support.encoders import read_tokenizer
from faithkit.train.support import input_of
from faithkit.train.support_rows import Options, training_rows, sampled, pieces, units
shard, of = int(sys.argv[1]), int(sys.argv[2])
place, shown = models.resolve("tokens", "base", offline=True)
files = "xsumfaith_dev bump1 summedits_news summedits_podcast summedits_sales_email summedits_sales_call wice_dev begin wice_tokens_train wice_tokens_dev lss_dev defacto_dev fm2 fever_symmetric cg2c_doc nli_pairs claims_train squad_v2_dev".split()
most = {"science":0,"conjnli":0,"nli":40000,"questions":5000,"edited":16000,"speakers":6000,"relations":6000,"made":8000,"paraphrased":2500,"non_claims":900,"knowledge_replies":4000}
o = Options(most=most, repeat={"claims":1}, made=5, edited=16000, documents=450, batch=64, budget=(40,180), seed=11)
t=time.time()
rows = training_rows(Path("/work/data"), o, print, files)
drawn = sampled(pieces(rows), o)
import collections
print(len(drawn), collections.Counter(p.family for p in drawn), time.time()-t, flush=True)
mine = [p for p in drawn if int(hashlib.sha256(p.row.document.encode()).hexdigest()[:8],16) % of == shard]
tok = read_tokenizer(place)
out = dict(ids=[],codes=[],len=[],claim=[],owner=[],owner_len=[],labels=[],words=[],target=[],non_claim=[],family=[],order=[])
fams = sorted({p.family for p in drawn})
done=0
mine.sort(key=lambda p:(p.row.document,p.row.file))
for s in range(0,len(mine),2000):
    for u in units(mine[s:s+2000], tok, 230):
        i = input_of(u,o)
        out["ids"].append(i.ids.astype(np.uint16)); out["codes"].append(i.codes.astype(np.uint8)); out["len"].append(len(i.ids)); out["claim"].append(i.claim)
        out["owner"].append(i.owner.astype(np.int16)); out["owner_len"].append(len(i.owner)); out["labels"].append(u.labels.astype(np.float16)); out["words"].append(i.words)
        assert len(u.labels)==i.words and i.claim==len(i.owner)+2, (len(u.labels),i.words,i.claim,len(i.owner))
        out["target"].append(u.target.astype(np.float16)); out["non_claim"].append(u.non_claim); out["family"].append(fams.index(u.family))
    done+=1
    if done%5==0: print(s, len(out["len"]), time.time()-t, flush=True)
np.savez(f"/work/out/gpu/units_{shard}.npz", fams=np.array(fams),
 **{k:np.concatenate(out[k]) for k in ("ids","codes","owner","labels")}, target=np.stack(out["target"]),
 **{k:np.array(out[k]) for k in ("len","claim","owner_len","words","non_claim","family")})
print("done", len(out["len"]), time.time()-t)
