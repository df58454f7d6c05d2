import sys,pickle,json,numpy as np
from pathlib import Path
sys.path.insert(0,"/work/main/bench")
from faithkit import models
from faithkit.models.runtime import Runtime
from faithkit.evaluation import examples
from faithkit.train import support_calibration as C
from faithkit.train.support_rows import HELD_OUT
from faithkit.train.words import Labelled, ENTAILED, UNSUPPORTED
from faithkit.train.labels.rows import by_spans
from faithkit.support.inputs import encode
from faithkit.language.normalise import plain_summary
from faithkit.support.evidence import Source
import read_marks as R
D=Path("/work/data")
model=models.load("support:mini",Runtime(offline=True))
rows=C.calibration_rows(D,HELD_OUT)
extra=[]
def lab(tag,ex,spans,good): return Labelled(tag,ex.document or ex.source[:40],ex.source,ex.summary,tuple(by_spans(ex.summary,spans)),ENTAILED if good else UNSUPPORTED)
for r in R.read_rows(D):
    if r.is_faithful is None: continue
    tag="y_everyday" if r.file=="everyday.jsonl" else ("y_talk" if "diasum" in r.file or "faceval" in r.file else "y_read")
    extra.append(lab(tag,r.row,r.errors,r.is_faithful))
for f,tag in (("pairs","z_pairs"),("clinical","z_clinical")):
    for ex in examples.read(f"/work/main/examples/{f}.jsonl",None,None)[1]:
        sp=[(s[0],s[1]) for s in (ex.meta or {}).get("spans",[])]
        extra.append(Labelled(tag,ex.id,ex.source,ex.summary,tuple(by_spans(ex.summary,sp)) if (sp or ex.label==1) else (),ENTAILED if ex.label==1 else UNSUPPORTED))
for name,tag,n in (("cliff[origin=xsum]","z_cliffx",150),("covidfact[documents=300]","z_covid",300),("climate_fever[documents=150]","z_climate",300)):
    for ex in examples.read(name,str(D),None)[1][:n]:
        if ex.label in (0,1): extra.append(Labelled(tag,ex.source[:40],ex.source,ex.summary,(),ENTAILED if ex.label==1 else UNSUPPORTED))
print(len(rows),len(extra),flush=True)
allrows=[*rows,*extra]
read=[]; text,source=None,Source([])
for row in sorted(allrows,key=lambda r:(r.source,r.file,r.summary)):
    if row.target is None: continue
    if row.source!=text: text=row.source; source=C._read_source(text,model)
    s=plain_summary(row.summary,row.source)
    if source.sentences and (rs:=C._readings(s.text,source,model)): read.append((row,s,rs))
U=[r for _,_,rs in read for r in rs]
print(len(read),len(U),flush=True)
out={k:[] for k in "ids codes len claim owner owner_len words".split()}
content,telling,row_of,copied=[],[],[],[]
k=0
for n,(row,s,rs) in enumerate(read):
    for r in rs:
        i=encode(r); out["ids"].append(i.ids.astype(np.uint16)); out["codes"].append(i.codes.astype(np.uint8)); out["len"].append(len(i.ids)); out["claim"].append(i.claim)
        out["owner"].append(i.owner.astype(np.int16)); out["owner_len"].append(len(i.owner)); out["words"].append(i.words)
        content.append(r.claim.content); telling.append(r.claim.telling); row_of.append(n); copied.append(r.copied)
fam=[C.family(r.file) if r.file[:2] not in("y_","z_") else r.file for r,_,_ in read]; fams=sorted(set(fam))
np.savez("/work/out/gpu/eval.npz",**{k:np.concatenate(out[k]) for k in ("ids","codes","owner")},**{k:np.array(out[k]) for k in ("len","claim","owner_len","words")},content=np.concatenate(content),telling=np.concatenate(telling),row=np.array(row_of),copied=np.array(copied),y=np.array([float(r.target[0]>=.5) for r,_,_ in read]),fam=np.array([fams.index(f) for f in fam]),fams=np.array(fams))
print("saved",fams,[fam.count(f) for f in fams])
