"""choose.py TAG LOGITS.npz: calibration left out and other sets from exact logits of recorded inputs"""
import sys,pickle,hashlib,numpy as np
TAG,path=sys.argv[1:3]
src=open("/work/out/gpu/prep_eval.py").read().split("print(len(rows),len(extra)")[0]
exec(src)
from sklearn.metrics import roc_auc_score, average_precision_score
from faithkit.support.calibration import SHOWN
import faithkit.support.model as M
key=lambda i: hashlib.sha256(b"|".join((np.asarray(i.ids,np.uint16).tobytes(),np.asarray(i.codes,np.uint8).tobytes(),np.asarray(i.owner,np.int16).tobytes(),str((i.words,i.claim)).encode()))).digest()
keys=pickle.load(open("in_all_keys.pkl","rb")); z={k:v for k,v in np.load(path).items()}; off=np.concatenate([[0],np.cumsum(np.load("in_all.npz")["words"])])
A={k:(z["words"][off[i]:off[i+1]],z["cl"][i],float(z["nc"][i])) for i,k in enumerate(keys)}
pickle.dump(A,open(f"ans_{TAG}.pkl","wb"))
real=M.Support.logits; miss=[0]
def replay(self,inputs):
    inputs=list(inputs); need=[i for i in inputs if key(i) not in A]; miss[0]+=len(need); got=iter(real(self,need) if need else [])
    return [A[key(i)] if key(i) in A else next(got) for i in inputs]
M.Support.logits=replay
keptrows=pickle.load(open("kept_rows.pkl","rb"))
kept=[l.__class__(**{**{f:getattr(l,f) for f in l.__slots__},"file":("y_g11" if n=="small_model" else "y_g12")}) for n,l,c in keptrows if not c]
C.family_=C.family; C.family=lambda f: f if f[:2] in("y_","z_") else C.family_(f)
J=C.judge([*rows,*extra,*kept],model); print("not recorded",miss)
six=[j for j in J if j.file[:2] not in("y_","z_")]
nct=max(map(C.non_claim_threshold,C.claim_logits(six)))
six=[c for j in six if (c:=j.claims(nct))]
cal,dec,mk=C.fitted(six); lo=C.left_out(six)
print("=====",TAG,cal,dec,round(mk,4),nct)
print("six mean",round(np.mean([v["auc"] for v in lo.values()]),2),{f:v["auc"] for f,v in lo.items()})
pc=lambda k:{f:None if v[k] is None else round(100*v[k]) for f,v in lo.items()}
print("even yes",pc("even_consistent"),"no",pc("even_not"))
print("undecided",{f:round(100*(1-v["called_consistent"]-v["called_not"])) for f,v in lo.items()})
print("marks",{f:(round(100*v["marks_precision"]),round(100*(v.get("marks_recall") or 0))) for f,v in lo.items() if v["marks_precision"] is not None})
save={}
for g in sorted({j.file for j in J if j.file[:2] in("y_","z_")}):
    js=[c for j in J if j.file==g and (c:=j.claims(nct))]
    v=C.values_of(js,cal); y=np.array([j.target>=.5 for j in js]); lab=np.concatenate([j.labels for j in js])>=.5; lg=np.concatenate([j.words for j in js]); m=lg>=SHOWN
    print(f"  {g}: auc {100*roc_auc_score(y,v):.1f} cons {int(y[v>=dec[1]].sum())}/{int((v>=dec[1]).sum())} not {int((~y[v<dec[0]]).sum())}/{int((v<dec[0]).sum())} of {len(y)}; words P {100*lab[m].mean() if m.any() else 0:.0f} R {100*m[lab].mean() if lab.any() else 0:.0f} n {int(m.sum())} AP {100*average_precision_score(lab,lg) if lab.any() else 0:.1f}")
pickle.dump((J,cal,dec,mk,nct),open(f"judged_{TAG}.pkl","wb"))
