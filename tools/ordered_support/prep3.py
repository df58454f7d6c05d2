"""units of another seed, with sentences whose best evidence is taken away and documents' own sentences beside the rest of them (no labels: teachers judge)"""
import sys, time, random, os
from multiprocessing import get_context
import numpy as np
from pathlib import Path
from dataclasses import replace
from faithkit import models
from faithkit.language.normalise import plain_source
from faithkit.support.encoders import read_tokenizer
from faithkit.support.evidence import Source, rank_evidence
from faithkit.support.inputs import read_evidence
from faithkit.support.sentences import read_sentences, read_source
from faithkit.train.support import input_of
from faithkit.train.support_rows import Options, Unit, training_rows, sampled, pieces, units
place, shown = models.resolve("tokens", "base", offline=True)
files = "xsumfaith_dev bump1 summedits_news summedits_podcast summedits_sales_email summedits_sales_call wice_dev begin wice_tokens_train wice_tokens_dev lss_dev defacto_dev fm2 fever_symmetric cg2c_doc nli_pairs claims_train squad_v2_dev".split()
SEED=31
most = {"science":0,"conjnli":0,"nli":40000,"questions":5000,"edited":16000,"speakers":6000,"relations":6000,"made":8000,"paraphrased":2500,"non_claims":900,"knowledge_replies":4000}
o = Options(most=most, repeat={"claims":1}, made=5, edited=16000, documents=450, batch=64, budget=(60,340), seed=SEED)
t=time.time()
rows = training_rows(Path("/work/data"), o, print, files)
drawn = sampled(pieces(rows), o)
print(len(drawn), time.time()-t, flush=True)
tok = read_tokenizer(place)
fams = sorted({p.family for p in drawn})+["ablated","apart"]
NAN3=np.full(3,np.nan,np.float32)
def key(text): import hashlib; return int(hashlib.sha256(text.encode()).hexdigest()[:8],16)
def ablated(ps, share=.30):
    """30% of written claims, without the one or two best sentences of evidence"""
    rng=random.Random(SEED); text=None; source=None
    for p in sorted(ps,key=lambda p:(p.row.document,p.row.file)):
        if p.family in ("nli","questions","made","non_claims","relations","web","wikipedia","cg2c") or rng.random()>share: continue
        if p.row.source!=text:
            text=p.row.source; sents=read_source(plain_source(text).text,tok,named=True); source=Source(sents)
        if len(sents)<4: continue
        for claim in read_sentences([p.text],tok):
            order=rank_evidence(claim,source)
            if not order: continue
            off=set(order[:rng.choice((1,1,2))])
            rest=Source([s for i,s in enumerate(sents) if i not in off])
            r=read_evidence(claim,rest,390)
            yield Unit("ablated",p.row.document,r,np.full(len(claim.keys),np.nan,np.float32),NAN3,False)
def apart(ps, each=3):
    """a document's own sentence beside the rest"""
    rng=random.Random(SEED+1)
    for text in sorted({p.row.source for p in ps if p.family not in ("nli","questions") and len(p.row.source)>900}):
        if rng.random()>.75: continue
        plain=plain_source(text).text; sents=read_source(plain,tok,named=True)
        if len(sents)<6: continue
        from faithkit.language.sentences import closed_sentences
        own=[s for s in closed_sentences(plain) if 40<len(s.text)<220]
        if len(own)<5: continue
        for seg in rng.sample(own,min(each,len(own)-1)):
            for claim in read_sentences([seg],tok):
                rest=Source([s for s in sents if s.wording!=claim.wording])
                if len(rest.sentences)==len(sents) or not rank_evidence(claim,rest): continue
                yield Unit("apart",text[:20],read_evidence(claim,rest,390),np.full(len(claim.keys),np.nan,np.float32),NAN3,False)
def shard(n):
    mine=[p for p in drawn if key(p.row.document)%2==n]; mine.sort(key=lambda p:(p.row.document,p.row.file))
    out={k:[] for k in "ids codes len claim owner owner_len labels words target non_claim family".split()}
    def put(u):
        i = input_of(u,o)
        assert len(u.labels)==i.words and i.claim==len(i.owner)+2, (len(u.labels),i.words,i.claim,len(i.owner))
        out["ids"].append(i.ids.astype(np.uint16)); out["codes"].append(i.codes.astype(np.uint8)); out["len"].append(len(i.ids)); out["claim"].append(i.claim)
        out["owner"].append(i.owner.astype(np.int16)); out["owner_len"].append(len(i.owner)); out["labels"].append(u.labels.astype(np.float16)); out["words"].append(i.words)
        out["target"].append(u.target.astype(np.float16)); out["non_claim"].append(u.non_claim); out["family"].append(fams.index(u.family))
    for s in range(0,len(mine),2000):
        for u in units(mine[s:s+2000], tok, 390): put(u)
        if s%20000==0: print(n,s,len(out["len"]),time.time()-t,flush=True)
    a=len(out["len"])
    for u in ablated(mine): put(u)
    b=len(out["len"])
    for u in apart(mine): put(u)
    print(n,"ablated",b-a,"apart",len(out["len"])-b,time.time()-t,flush=True)
    np.savez(f"/work/out/gpu3/v3_{n}.npz", fams=np.array(fams), **{k:np.concatenate(out[k]) for k in ("ids","codes","owner","labels")}, target=np.stack(out["target"]),
     **{k:np.array(out[k]) for k in ("len","claim","owner_len","words","non_claim","family")})
if __name__=="__main__":
    c=get_context("fork"); ps=[c.Process(target=shard,args=(n,)) for n in (0,1)]
    [p.start() for p in ps]; [p.join() for p in ps]; print("done",[p.exitcode for p in ps],time.time()-t)
