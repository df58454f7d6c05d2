import os,sys,time,shutil,glob,torch,numpy as np
T0=time.time()
K=os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0,K)
from train import *
SMOKE=os.environ.get("SMOKE"); KEEP=os.environ.get("KEEP","/tmp/keep"); OUT=os.environ["OUT"]; os.makedirs(KEEP,exist_ok=True)
END=float(os.environ.get("END","560")); GPU=DEV=="cuda"; FIRST=float(os.environ.get("FIRST","250"))
def sd_of(net): return {k:v.detach().clone() for k,v in net.state_dict().items()}
U=SMOKE.split(",") if SMOKE else sorted(glob.glob(f"{KEEP}/v3_*.npz"))+sorted(glob.glob(f"{KEEP}/v4_*.npz"))+sorted(glob.glob(f"{KEEP}/r9_*.npz"))
data=Data(U); say("units",len(data.len),"mean tokens",data.len.mean(),U); ev=Eval(f"{KEEP}/eval.npz"); say("eval",len(ev.d.len))
ref=unpack_exact(f"{KEEP}/T789"); ref["words.weight"]=words_of(f"{KEEP}/words.npz"); say("start read")
def load(sd):
    n=fresh({k:v for k,v in ref.items()}); bad=n.load_state_dict({k:v.to(DEV) for k,v in sd.items()},strict=False); assert not bad.unexpected_keys,bad; return n
def auc(net,tag): return ev.auc(net,tag)
wo=np.concatenate([[0],np.cumsum(data.W)])
def judge(net):
    N=len(data.len); words=torch.zeros(int(wo[-1]),device=DEV); cl=torch.zeros(N,3,device=DEV); order=np.argsort(data.len,kind="stable"); net.eval()
    off=torch.from_numpy(wo[:-1]).to(DEV); QUANT[0]=True; st=0; t=time.time()
    with torch.inference_mode():
        while st<N:
            B=max(8,int((200000 if GPU else 4000)//data.len[order[min(N-1,st+64)]])); b=order[st:st+B]; st+=B
            x=data.batch(b)[0]; r=torch.from_numpy(b).to(DEV); W=x[-1]
            a=torch.arange(W,device=DEV)[None]; ok=a<data.tW[r][:,None]; at=(off[r][:,None]+a)[ok]
            with torch.autocast(DEV,dtype=torch.bfloat16,enabled=GPU): w,c,_=net(*x)
            words[at]+=torch.sigmoid(w)[ok]; cl[r]+=c.softmax(-1)
    QUANT[0]=False; say("judged",time.time()-t)
    return words,cl
hard,target=data.labels,data.target
def teach(words,cl):
    rep=data.nc.repeat_interleave(data.tW)>0
    mixed=torch.where(hard.isnan(),words,.5*words+.5*hard.nan_to_num()); data.labels=torch.where(rep,hard,mixed)
    t=target; no=t[:,0].isnan(); two=~no&t[:,2].isnan(); rest=cl[:,1:]/cl[:,1:].sum(1,keepdim=True).clamp(min=1e-6)
    known=t.clone(); known[two,1:]=t[two,1:2]*rest[two]; m=torch.where(no[:,None],cl,.5*cl+.5*known); data.target=torch.where(data.nc[:,None]>0,t,m)
t789=load(ref)
QUANT[0]=True; auc(t789,"T789 in order"); QUANT[0]=False
sw,sc=judge(t789)
for f in ("ablated","apart","claims","speakers","edited"):
    if f in data.fams: m=torch.from_numpy(data.family==data.fams.index(f)).to(DEV); say(f,int(m.sum()),"judged entailed",float(sc[m,0].mean()))
teach(sw,sc)
B=256 if GPU else 8
LR=float(os.environ.get("LR","7e-5"))
def run(tag,net,seconds,lr,B,seed):
    say("RUN",tag,lr,B); r=train(net,data,seconds,lr,B,seed,.1,rounded=0.); QUANT[0]=True; r["auc"]=auc(net,tag); QUANT[0]=False; return net.eval()
a=run("A",load(ref),FIRST,LR,B,13)
pack_exact(sd_of(a),f"{KEEP}/A")
aw,ac=judge(a); teach((sw+aw)/2,(sc+ac)/2); first=sd_of(a)
left=END-(time.time()-T0)-14 if GPU else FIRST
b=run("B",a,left,LR,B,14)
last=sd_of(b)
pack_exact(last,f"{KEEP}/B")
for i in range(4): shutil.copy(f"{KEEP}/B_{i}.npz",OUT)
say("end",time.time()-T0)
try:
    QUANT[0]=True
    for tag,m in (("mean AB",mean(first,last)),("mean 789 A B",mean(ref,first,last))): auc(load(m),tag)
except Exception as e: say("mean",e)
say("all",time.time()-T0)
