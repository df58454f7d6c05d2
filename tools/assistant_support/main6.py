import os,sys,time,glob,torch,numpy as np,zlib,shutil
T0=time.time()
K=os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0,K)
import train as TR
from train import *
KEEP=os.environ.get("KEEP","/tmp/keep"); OUT=os.environ["OUT"]; GPU=DEV=="cuda"
END=float(os.environ.get("END","560")); FIRST=float(os.environ.get("FIRST","230")); LR=float(os.environ.get("LR","7e-5")); TIMES=int(os.environ.get("TIMES","3")); SHARE=float(os.environ.get("SHARE","1"))
U=sorted(glob.glob(f"{KEEP}/v[56]_*.npz"))+sorted(glob.glob(f"{KEEP}/nat_*.npz"))
data=Data(U); say("units",len(data.len),"mean tokens",data.len.mean(),U,{f:int((data.family==i).sum()) for i,f in enumerate(data.fams)})
ev=Eval(f"{KEEP}/eval6.npz"); say("eval",len(ev.d.len))
z=np.load(f"{KEEP}/start6.npz"); codes={}
ref={}
for k in z.files:
    if k.endswith("|q"):
        m=k[:-2]; d=tuple(z[m+"|d"]); c=torch.from_numpy(np.frombuffer(zlib.decompress(z[k].tobytes()),np.int8).reshape(d).astype(np.float32)); codes[m]=(c,torch.from_numpy(z[m+"|s"])); ref[m]=c*codes[m][1][:,None]
    elif "|" not in k: ref[k]=torch.from_numpy(z[k])
ref["words.weight"]=words_of(f"{KEEP}/words6.npz")
def dithered(seed):
    g=torch.Generator().manual_seed(seed); sd=dict(ref)
    for m,(c,st) in codes.items(): sd[m]=(c+(torch.rand(c.shape,generator=g)-.5)*.96)*st[:,None]
    return sd
def load(sd):
    n=fresh({k:v for k,v in ref.items()}); bad=n.load_state_dict({k:v.to(DEV) for k,v in sd.items()},strict=False); assert not bad.unexpected_keys,bad; return n
def sd_of(net): return {k:v.detach().clone().cpu() for k,v in net.state_dict().items()}
RAW={}
def score(net,tag):
    QUANT[0]=True; raw=ev.raw(net); QUANT[0]=False
    RAW[tag]=raw; v=ev.values(raw); z=ev.z; out={}
    for i,f in enumerate(z["fams"]):
        m=z["fam"]==i
        if len(set(z["y"][m]))==2: out[str(f)]=round(100*roc_auc_score(z["y"][m],v[m]),1)
    six=[a for f,a in out.items() if f[0] not in "yz"]; rest=[a for f,a in out.items() if f[0] in "yz"]
    say("EVAL",tag,"six",round(float(np.mean(six)),2),"others",round(float(np.mean(rest)),2),out)
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
nat=torch.from_numpy(np.isin(data.family,[i for i,f in enumerate(data.fams) if f in("natural","assistant")])).to(DEV)
natw=nat.repeat_interleave(data.tW)
def teach(words,cl,own=.85):
    rep=data.nc.repeat_interleave(data.tW)>0
    share=torch.where(natw,own,.5)
    mixed=torch.where(hard.isnan(),words,(1-share)*words+share*hard.nan_to_num()); data.labels=torch.where(rep,hard,mixed)
    t=target; no=t[:,0].isnan(); two=~no&t[:,2].isnan(); rest=cl[:,1:]/cl[:,1:].sum(1,keepdim=True).clamp(min=1e-6)
    known=t.clone(); known[two,1:]=t[two,1:2]*rest[two]; s=torch.where(nat,own,.5)[:,None]; m=torch.where(no[:,None],cl,(1-s)*cl+s*known); data.target=torch.where(data.nc[:,None]>0,t,m)
old=np.where(~nat.cpu().numpy())[0]; new=np.where(nat.cpu().numpy())[0]
n11=np.where(data.family==data.fams.index("natural"))[0]; n12=np.where(data.family==data.fams.index("assistant"))[0]
def keep(t11,t12,share):
    def k(rng): return np.concatenate([rng.permutation(old)[:int(share*len(old))],np.tile(n11,t11),np.tile(n12,t12)])
    return k
ship=load(ref); score(ship,"ship")
sw,sc=judge(ship)
for i,f in enumerate(data.fams):
    m=torch.from_numpy(data.family==i).to(DEV); say(f,int(m.sum()),"judged entailed",round(float(sc[m,0].mean()),3))
for f_ in("natural","assistant"):
  if f_ not in data.fams: continue
  m=torch.from_numpy(data.family==data.fams.index(f_)).to(DEV)&~target[:,0].isnan()
  if m.any(): say(f_,"natural: AUC of the shipped",100*roc_auc_score(target[m,0].cpu().numpy()>.5,sc[m,0].cpu().numpy()),"supported",float((target[m,0]>.5).float().mean()))
teach(sw,sc)
B=256 if GPU else 8
def run(tag,net,seconds,lr,seed,k):
    say("RUN",tag,lr,B); r=train(net,data,seconds,lr,B,seed,.1,keep=k,rounded=0.); score(net.eval(),tag); return net
def codes_out(sd,tag,parts=3):
    """the rounded weights alone"""
    bigs=[k for k in codes]
    def one(k):
        c,st=quant(sd[k].float(),True); p=zlib.compressobj(9,strategy=zlib.Z_HUFFMAN_ONLY); return k,np.frombuffer(p.compress(c.to(torch.int8).numpy().tobytes())+p.flush(),np.uint8),st[:,0].numpy()
    with ThreadPoolExecutor(14) as ex: done=list(ex.map(one,bigs))
    out=[{} for _ in range(parts)]; size=[0]*parts
    for k,b,st in sorted(done,key=lambda x:-len(x[1])):
        i=size.index(min(size)); out[i].update({k+"|q":b,k+"|s":st,k+"|d":np.array(sd[k].shape)}); size[i]+=len(b)
    out[-1].update({k:v.float().numpy() for k,v in sd.items() if k not in codes and k!="words.weight"})
    for i,p in enumerate(out): np.savez(f"{KEEP}/codes_{tag}_{i}.npz",**p)

from emul import Exact
def shipped(sd):
    """the arrays of the shipped file: codes and steps of the layers; the rest in half precision"""
    w={}
    for k,v in sd.items():
        if k=="words.weight": continue
        if k in codes:
            c,st=quant(sd[k].float().to(DEV),True)
            if k.startswith("layers."): w[k]=c.to(torch.int8).cpu().numpy().T.copy(); w[k[:-6]+"steps"]=st[:,0].cpu().numpy()
            else: w[k]=(c*st).cpu().numpy()
        else: w[k]=v.float().cpu().numpy().astype(np.float16).astype(np.float32)
    return w
_z=np.load(f"{KEEP}/words6.npz"); WORDS=(np.frombuffer(zlib.decompress(_z["q"].tobytes()),np.int8).reshape(_z["d"]).copy(),_z["s"])
def exact_logits(d,model,size):
    """d: Data without labels; the logits of each unit, [flat words], [n,3], [n]"""
    n=len(d.len); wo_=np.concatenate([[0],np.cumsum(d.W)]); words=np.zeros(wo_[-1],np.float32); cl=np.zeros((n,3),np.float32); nc=np.zeros(n,np.float32); order=np.argsort(d.len,kind="stable"); st=0
    with torch.inference_mode():
        while st<n:
            b=order[st:st+max(8,size//int(d.len[order[min(n-1,st+64)]]))]; st+=len(b)
            w,c,k=model(*d.batch(b)[0]); w=w.cpu().numpy(); cl[b]=c.cpu().numpy(); nc[b]=k.cpu().numpy()
            for i,row in enumerate(b): words[wo_[row]:wo_[row+1]]=w[i,:d.W[row]]
    return words,cl,nc
def answers(sd,tag,files):
    """exact logits of recorded inputs"""
    torch.backends.cuda.matmul.allow_tf32=False
    M=Exact(sd if "layers.0.query.steps" in sd else shipped(sd),WORDS,DEV)
    for f in files:
        t=time.time(); d=Data([f"{KEEP}/{f}.npz"]); w,c,n=exact_logits(d,M,60000 if GPU else 3000); name=f"{tag}_{f}"
        torch.backends.cuda.matmul.allow_tf32=True
        np.savez_compressed(f"{OUT}/{name}.npz",words=w.astype(np.float32),cl=c,nc=n); say("answers",name,len(n),time.time()-t)
def as_shipped():
    w={}
    for k,v in ref.items():
        if k=="words.weight": continue
        if k in codes:
            c,st=codes[k]
            if k.startswith("layers."): w[k]=c.to(torch.int8).numpy().T.copy(); w[k[:-6]+"steps"]=st.numpy()
            else: w[k]=v.numpy()
        else: w[k]=v.numpy()
    return w
exec(open(f"{K}/plan6.py").read())
say("all",time.time()-T0)
