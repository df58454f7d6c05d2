import os,sys,time,shutil,torch,numpy as np
T0=time.time()
K=os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0,K)
from train import *
SMOKE=os.environ.get("SMOKE"); KEEP=os.environ.get("KEEP","/tmp/keep"); OUT=os.environ["OUT"]; os.makedirs(KEEP,exist_ok=True)
END=float(os.environ.get("END","570")); SC=float(os.environ.get("SCALE","1")); GPU=DEV=="cuda"
def sd_of(net): return {k:v.detach().clone() for k,v in net.state_dict().items()}
U=SMOKE.split(",") if SMOKE else [f"{KEEP}/{f}" for f in ("units_0.npz","units_1.npz","v2_0.npz","v2_1.npz")]
data=Data(U); say("units",len(data.len)); ev=Eval(f"{KEEP}/eval.npz"); ref=base(); say("base read",time.time()-T0)
def load(sd):
    n=fresh(ref); n.load_state_dict({k:v.to(DEV) for k,v in sd.items()},strict=False); return n
def rounded_words(net):
    with torch.no_grad():
        c,st=quant(ref["words.weight"].to(DEV),True); net.words.weight.copy_(c*st)
    return net
def auc(net,tag): return ev.auc(net,tag) if not SMOKE else {"claims":0}
wo=np.concatenate([[0],np.cumsum(data.W)])
def judge(nets):
    N=len(data.len); words=torch.zeros(int(wo[-1]),device=DEV); cl=torch.zeros(N,3,device=DEV); order=np.argsort(data.len,kind="stable"); B=1024 if GPU else 16
    off=torch.from_numpy(wo[:-1]).to(DEV)
    with torch.inference_mode():
        for st in range(0,N,B):
            b=order[st:st+B]; x=data.batch(b)[0]; r=torch.from_numpy(b).to(DEV); W=x[-1]
            a=torch.arange(W,device=DEV)[None]; ok=a<data.tW[r][:,None]; at=(off[r][:,None]+a)[ok]
            for net in nets:
                QUANT[0]=net in in_steps
                with torch.autocast(DEV,dtype=torch.bfloat16,enabled=GPU): w,c,_=net(*x)
                words[at]+=torch.sigmoid(w)[ok]; cl[r]+=c.softmax(-1)
    QUANT[0]=False
    return words,cl
in_steps=[]
hard,target=data.labels,data.target
def teach(words,cl):
    rep=data.nc.repeat_interleave(data.tW)>0
    mixed=torch.where(hard.isnan(),words,.5*words+.5*hard.nan_to_num()); data.labels=torch.where(rep,hard,mixed)
    t=target; no=t[:,0].isnan(); two=~no&t[:,2].isnan(); rest=cl[:,1:]/cl[:,1:].sum(1,keepdim=True).clamp(min=1e-6)
    known=t.clone(); known[two,1:]=t[two,1:2]*rest[two]; m=torch.where(no[:,None],cl,.5*cl+.5*known); data.target=torch.where(data.nc[:,None]>0,t,m)
    say("DISTIL",float(data.labels.isnan().float().mean()),float(data.target.isnan().float().mean()))
old=[load(from_delta(f"{K}/{t}",ref)).eval() for t in ("S4","S5")]
for n,t in zip(old,("S4","S5")): auc(n,t)
sw,sc=judge(old); say("judged"); s5=sd_of(old[1]); del old
for f in ("ablated","apart","claims"):
    if f in data.fams: m=torch.from_numpy(data.family==data.fams.index(f)).to(DEV); say(f,int(m.sum()),"judged entailed",float((sc[m,0]/2).mean()))
teach(sw/2,sc/2)
B=256 if GPU else 8
results={}
def run(tag,net,seconds,lr,B,seed,**more):
    say("RUN",tag,lr,B); r=train(net,data,seconds*SC,lr,B,seed,.1,**more); r["claims"]=auc(net,tag)["claims"]; results[tag]=r; QUANT[0]=False; return net.eval()
t6=run("T6",fresh(ref,6),118,1.2e-4,B,6)
high=results["T6"]["loss"]<1.1 or bool(SMOKE)
lr=1.2e-4 if high else 7e-5
t7=run("T7",rounded_words(load(s5)),125,lr,B,7,rounded=0.)
in_steps.append(t7)
good=results["T7"]["loss"]<2
pack(sd_of(t6),ref,f"{KEEP}/T6",.6)
if good: pack_exact(sd_of(t7),f"{KEEP}/T7")
nets=[n for n,ok in ((t6,high),(t7,good)) if ok]
tw,tc=judge(nets); n=2+len(nets)
say("judged again",results)
teach((sw+tw)/n,(sc+tc)/n)
go_on=good and (not high or results["T7"]["claims"]>results["T6"]["claims"]-1)
say("the last goes on from T7" if go_on else "the last begins at the encoder")
net=load(sd_of(t7)) if go_on else fresh(ref,8)
del t6,t7,nets; in_steps.clear()
rounded_words(net)
left=END-(time.time()-T0)-8 if GPU else 110
run("T8",net,left/ (1 if GPU else SC) if GPU else left,lr,B,8,rounded=0.)
QUANT[0]=True; auc(net,"T8 rounded"); QUANT[0]=False
pack_exact(sd_of(net),f"{KEEP}/T8")
for i in range(4): shutil.copy(f"{KEEP}/T8_{i}.npz",OUT)
say("end",time.time()-T0)
