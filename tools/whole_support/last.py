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
res={}
def run(tag,net,seconds,lr,B,seed,drop):
    say("RUN",tag); train(net,data,sc(seconds),lr,B,seed,drop); res[tag]=sd_of(net); 
    if not SMOKE: ev.auc(net,tag)

def unpack(tag):
    sd=dict(ref)
    for i in range(4):
        z=np.load(f"{KEEP}/{tag}_{i}.npz")
        for k in z.files:
            if k.endswith("|q"):
                m=k[:-2]; c=np.frombuffer(zlib.decompress(z[k].tobytes()),np.int8).reshape(ref[m].shape); sd[m]=ref[m]+torch.from_numpy(c.astype(np.float32)*z[m+"|s"][:,None])
            elif not k.endswith("|s"): sd[k]=torch.from_numpy(z[k].astype(np.float32))
    return sd
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

nets=[load(unpack(x)).eval() for x in ("S2","S4")]
words,cl=judge(nets); say("judged"); del nets
L=data.labels; rep=data.nc.repeat_interleave(data.tW)>0
mixed=torch.where(L.isnan(),words,.5*words+.5*L.nan_to_num()); data.labels=torch.where(rep,L,mixed)
t=data.target.clone(); no=t[:,0].isnan(); two=~no&t[:,2].isnan(); rest=cl[:,1:]/cl[:,1:].sum(1,keepdim=True).clamp(min=1e-6)
known=t.clone(); known[two,1:]=t[two,1:2]*rest[two]; m=torch.where(no[:,None],cl,.5*cl+.5*known); data.target=torch.where(data.nc[:,None]>0,t,m)
say("DISTIL",float(data.labels.isnan().float().mean()),float(data.target.isnan().float().mean()))

run("S5",fresh(ref,5),float(os.environ.get("SECS","100")),8e-5,2*B0,5,.1)
pack(res["S5"],ref,f"{KEEP}/S5")
for i in range(4): shutil.copy(f"{KEEP}/S5_{i}.npz",OUT)
say("end")
