import os,sys,time,shutil,torch,numpy as np
K=os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0,K)
from train import *
SMOKE=os.environ.get("SMOKE"); KEEP=os.environ.get("KEEP","/tmp/keep"); OUT=os.environ["OUT"]; os.makedirs(KEEP,exist_ok=True)
sc=lambda s: float(os.environ.get("SCALE","1"))*s
def sd_of(net): return {k:v.detach().clone() for k,v in net.state_dict().items()}
U=[f"{KEEP}/units_0.npz",f"{KEEP}/units_1.npz"] if not SMOKE else os.environ["SMOKE"].split(",")
data=Data(U); say("units",len(data.len)); ev=Eval(f"{KEEP}/eval.npz"); ref=base(); say("base read")
B0=64 if DEV=="cuda" else 8
def load(sd): 
    n=fresh(ref); n.load_state_dict({k:v.to(DEV) for k,v in sd.items()},strict=False); return n
s8=soup8(ref); n=load(s8)
if not SMOKE: ev.auc(n,"soup8")
res={}
def run(tag,net,seconds,lr,B,seed,drop):
    say("RUN",tag); train(net,data,sc(seconds),lr,B,seed,drop); res[tag]=sd_of(net); 
    if not SMOKE: ev.auc(net,tag)
run("S1",fresh(ref,0),110,3e-5,B0,0,.1)
run("S2",fresh(ref,1),110,6e-5,2*B0,1,.1)
run("S3",n,80,1.5e-5,B0,2,.1)
def soup(tag,*names):
    m=mean(*(res[x] for x in names)); res[tag]=m
    if not SMOKE: ev.auc(load(m),tag)
soup("S12","S1","S2"); soup("S13","S1","S3"); soup("S123","S1","S2","S3")
# ensemble's values, and its judgements of the training units
def judge(nets):
    N=len(data.len); wo=np.concatenate([[0],np.cumsum(data.W)]); words=torch.zeros(int(wo[-1]),device=DEV); cl=torch.zeros(N,3,device=DEV); order=np.argsort(data.len,kind="stable"); B=512 if DEV=="cuda" else 16
    off=torch.from_numpy(wo[:-1]).to(DEV)
    with torch.inference_mode():
        for st in range(0,N,B):
            b=order[st:st+B]; x=data.batch(b)[0]; r=torch.from_numpy(b).to(DEV); W=x[-1]
            a=torch.arange(W,device=DEV)[None]; ok=a<data.tW[r][:,None]; at=(off[r][:,None]+a)[ok]
            for net in nets:
                with torch.autocast(DEV,dtype=torch.bfloat16,enabled=DEV=="cuda"): w,c,_=net(*x)
                words[at]+=torch.sigmoid(w)[ok]/len(nets); cl[r]+=c.softmax(-1)/len(nets)
    return words,cl
nets=[load(res[x]).eval() for x in ("S1","S2","S3")]
if not SMOKE:
    raws=[ev.raw(x) for x in nets]; v=ev.values(tuple(np.mean([r[i] for r in raws],0) for i in range(3)))
    z=ev.z; out={str(f):round(100*roc_auc_score(z["y"][z["fam"]==i],v[z["fam"]==i]),1) for i,f in enumerate(z["fams"]) if len(set(z["y"][z["fam"]==i]))==2}
    say("EVAL ensemble six",round(float(np.mean([a for f,a in out.items() if f[0] not in "yz"])),2),out)
words,cl=judge(nets); say("judged")
del nets
L=data.labels; rep=data.nc.repeat_interleave(data.tW)>0
mixed=torch.where(L.isnan(),words,.5*words+.5*L.nan_to_num()); data.labels=torch.where(rep,L,mixed)
t=data.target.clone(); no=t[:,0].isnan(); two=~no&t[:,2].isnan(); rest=cl[:,1:]/cl[:,1:].sum(1,keepdim=True).clamp(min=1e-6)
known=t.clone(); known[two,1:]=t[two,1:2]*rest[two]; m=torch.where(no[:,None],cl,.5*cl+.5*known); data.target=torch.where(data.nc[:,None]>0,t,m)
say("DISTIL",float(data.labels.isnan().float().mean()),float(data.target.isnan().float().mean()))
run("S4",fresh(ref,3),110,4e-5,B0,3,.1)
soup("S14","S1","S4"); soup("S124","S1","S2","S4"); soup("S1234","S1","S2","S3","S4")
for tag in ("S4","S124","S1234","S1","S3","S2"):
    pack(res[tag],ref,f"{KEEP}/{tag}")
for i in range(4): shutil.copy(f"{KEEP}/S124_{i}.npz",OUT)
say("end")
