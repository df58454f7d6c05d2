import sys,json,pickle,hashlib,numpy as np
from pathlib import Path
FOLDER="/work/out/modelC"
from faithkit import models
from faithkit.models.runtime import Runtime
import faithkit.support.model as M
from faithkit.train import support_calibration as C
from faithkit.train.support_rows import HELD_OUT
from faithkit.support.files import WEIGHTS
from faithkit.models.tensors import read_tensors
from safetensors.numpy import save as st_save
A=pickle.load(open("ans_C.pkl","rb")); key=lambda i: hashlib.sha256(b"|".join((np.asarray(i.ids,np.uint16).tobytes(),np.asarray(i.codes,np.uint8).tobytes(),np.asarray(i.owner,np.int16).tobytes(),str((i.words,i.claim)).encode()))).digest()
real=M.Support.logits; miss=[0]
def replay(self,inputs):
    inputs=list(inputs); need=[i for i in inputs if key(i) not in A]; miss[0]+=len(need); got=iter(real(self,need) if need else [])
    return [A[key(i)] if key(i) in A else next(got) for i in inputs]
m=models.load(f"support:{FOLDER}",Runtime(offline=True))
# a check: the real network on 40 recorded sentences
rows=C.calibration_rows(Path("/work/data"),HELD_OUT)
some=[r for r in rows if r.target][::600][:8]; a=C.judge(some,m); M.Support.logits=replay; b=C.judge(some,m)
print("real against recorded: words",max(float(np.abs(x.words-y.words).max()) if len(x.words) else 0 for x,y in zip(a,b)),"doubts",max(float(np.abs(x.doubts-y.doubts).max()) for x,y in zip(a,b)))
st=C.calibrate(m,rows,print); cal=st.calibration; print("missing",miss)
t=read_tensors(Path(FOLDER)/WEIGHTS); meta=dict(t.metadata); S=json.loads(meta["settings"])
S["calibration"]={"dependence":cal.dependence,"sentence":list(cal.sentence),"word":list(cal.word)}
S["decision"]=list(st.decision); S["marked"]=st.marked; S["non_claim"]=st.non_claim
card={**S["card"],**{k:st.card[k] for k in("left_out","calibrated_on","non_claims")},"calibrated_with":"the shipped network's integer arithmetic, on the accelerator"}
S["card"]=card; meta["settings"]=json.dumps(S,ensure_ascii=False,sort_keys=True)
(Path(FOLDER)/WEIGHTS).write_bytes(st_save(dict(t.tensors),metadata=meta))
print({k:S[k] for k in S if k!="card"})
