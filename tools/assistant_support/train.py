import numpy as np, torch, time, sys, json, zlib, math, os, threading
from concurrent.futures import ThreadPoolExecutor
from torch import nn
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score
K=os.path.dirname(os.path.abspath(__file__)); DEV="cuda" if torch.cuda.is_available() else "cpu"
T00=time.time()
def say(*a): print(f"[{time.time()-T00:6.1f}]",*a,flush=True)
torch.backends.cuda.matmul.allow_tf32=True
def distance_classes(tokens,classes):
    place=np.arange(tokens); d=place[None,:]-place[:,None]; half=classes//2; away=np.abs(d); single=half//2
    ratio=np.log(np.maximum(away,1).astype(np.float32)/np.float32(single)); share=ratio/np.float32(math.log(128/single))
    wide=np.minimum(single+(share*(half-single)).astype(np.int64),half-1)
    return half*(d>0)+np.where(away<single,away,wide)
STEP,LARGEST=.375,63
def quant(m,parts=False):
    """the matrix as the file has it: each row a step times integers; gradients pass"""
    with torch.no_grad():
        d=m.detach().float(); st=torch.maximum(STEP*d.pow(2).mean(1).sqrt(),d.abs().amax(1)/LARGEST); st=torch.where(st==0,1.,st)[:,None]
        c=torch.round(d/st)
        if parts: return c,st
        diff=c*st-d
    return m+diff
QUANT=[False]
TOKENS=56000
def qs(x):
    """states rounded to 255 levels for each token, as the shipped graph; gradients pass"""
    if not STATES[0]: return x
    with torch.no_grad():
        y=x.float(); st=y.abs().amax(-1,keepdim=True).clamp(min=1e-30)/127; d=(torch.round(y/st)*st-y).to(x.dtype)
    return x+d
STATES=[True]
def lin(f,x): return F.linear(x,quant(f.weight),f.bias) if QUANT[0] else f(x)
class Layer(nn.Module):
    def __init__(s,w,h,inner,eps):
        super().__init__(); s.heads=h
        s.query,s.key,s.value=(nn.Linear(w,w) for _ in range(3)); s.attended=nn.Linear(w,w); s.attended_norm=nn.LayerNorm(w,eps=eps)
        s.inner=nn.Linear(w,inner); s.outer=nn.Linear(inner,w); s.outer_norm=nn.LayerNorm(w,eps=eps)
    def forward(s,x,mask,drop):
        B,T,_=x.shape
        y=qs(x) if QUANT[0] else x
        q,k,v=(lin(p,y).view(B,T,s.heads,-1).transpose(1,2) for p in (s.query,s.key,s.value))
        m=F.scaled_dot_product_attention(q,k,v,attn_mask=mask)
        x=s.attended_norm(F.dropout(lin(s.attended,qs(m.transpose(1,2).flatten(2)) if QUANT[0] else m.transpose(1,2).flatten(2)),drop,s.training)+x)
        y=qs(x) if QUANT[0] else x; h=F.gelu(lin(s.inner,y)); h=qs(h) if QUANT[0] else h
        return s.outer_norm(F.dropout(lin(s.outer,h),drop,s.training)+x)
class Net(nn.Module):
    def __init__(s,vocab,width,layers,heads,inner,positions,relative,eps,codes=44):
        super().__init__()
        s.words=nn.Embedding(vocab,width); s.words.requires_grad_(False); s.positions=nn.Embedding(positions,width); s.segments=nn.Embedding(2,width)
        s.codes=nn.Embedding(codes,width,padding_idx=0); nn.init.zeros_(s.codes.weight); s.norm=nn.LayerNorm(width,eps=eps)
        s.relative=nn.Embedding(relative,heads); s.relative.requires_grad_(False)
        s.layers=nn.ModuleList(Layer(width,heads,inner,eps) for _ in range(layers))
        s.word=nn.Sequential(nn.Linear(width,width//2),nn.GELU(),nn.Linear(width//2,1)); s.sentence=nn.Sequential(nn.Linear(2*width,width),nn.GELU(),nn.Linear(width,3)); s.non_claim=nn.Linear(width,1)
        s.classes=torch.from_numpy(distance_classes(512,relative)).to(DEV); s.drop=0.
    def forward(s,ids,codes,segs,mask,owner,W):
        B,T=ids.shape
        places=quant(s.positions.weight)[:T] if QUANT[0] else s.positions.weight[:T]
        x=s.norm(s.words(ids)+s.codes(codes)+s.segments(segs)+places); x=F.dropout(x,s.drop,s.training)
        bias=s.relative(s.classes[:T,:T]).permute(2,0,1)
        bias=bias.masked_fill(~mask[:,None,None,:],-1e4).to(torch.bfloat16 if DEV=="cuda" else x.dtype)
        for l in s.layers: x=l(x,bias,s.drop)
        x=x.float()
        inc=((segs==0)&mask).float(); inc[:,0]=0
        with torch.autocast(DEV,enabled=False):
            mean=torch.einsum("rt,rtw->rw",inc,x)/inc.sum(1,keepdim=True)
            P=(owner[:,None,:]==torch.arange(W,device=ids.device)[None,:,None]).float(); P=P/P.sum(2,keepdim=True).clamp(min=1)
            pooled=P@x[:,1:1+owner.shape[1]]
        head=lambda h,y:h[2](h[1](lin(h[0],y)))
        return head(s.word,pooled).squeeze(-1).float(),head(s.sentence,torch.cat([x[:,0],mean],-1)).float(),s.non_claim(mean).squeeze(-1).float()
def loss_of(labels,W_of,target,nc,words,sentence,non_claim):
    known=~labels.isnan(); isw=torch.arange(words.shape[1],device=words.device)[None]<W_of[:,None]
    bw=F.binary_cross_entropy_with_logits(words,labels.nan_to_num(),reduction="none")*known
    total=2*(bw.sum(1)/known.sum(1).clamp(min=1)).sum()
    log=sentence.log_softmax(-1); told=~target[:,0].isnan(); three=told&~target[:,2].isnan(); two=told&target[:,2].isnan(); t=target.nan_to_num()
    total=total-((t*log).sum(1)*three).sum()-((t[:,0]*log[:,0]+t[:,1]*torch.logsumexp(log[:,1:],-1))*two).sum()
    some=told&(t[:,0]<.2)&~known.any(1)
    none=(F.logsigmoid(-words)*isw).sum(1).clamp(max=-1e-4)
    total=total-.3*(torch.log1p(-torch.exp(none))*some).sum()
    return (total+.2*F.binary_cross_entropy_with_logits(non_claim,nc,reduction="sum"))/len(nc)
class Data:
    """flat arrays on the device"""
    def __init__(s,files):
        z=[np.load(f) for f in files]; c=lambda k:np.concatenate([x[k] for x in z])
        s.len,s.claim,s.ol,s.W=(c(k).astype(np.int64) for k in ("len","claim","owner_len","words"))
        s.keys=set(z[0].files); put=lambda a:torch.from_numpy(a).to(DEV)
        s.ids,s.codes,s.owner=put(c("ids").astype(np.int32)),put(c("codes")),put(c("owner"))
        off=lambda n:put(np.concatenate([[0],np.cumsum(n)[:-1]]))
        s.o_len,s.o_ol,s.o_w=off(s.len),off(s.ol),off(s.W)
        s.tlen,s.tclaim,s.tol,s.tW=map(put,(s.len,s.claim,s.ol,s.W))
        if "labels" in s.keys: s.labels=put(c("labels").astype(np.float32)); s.target=put(c("target").astype(np.float32)); s.nc=put(c("non_claim").astype(np.float32)); s.fams=list(dict.fromkeys(f for x in z for f in x["fams"].tolist())); s.family=np.concatenate([np.array([s.fams.index(f) for f in x["fams"].tolist()])[x["family"]] for x in z]) if len(z)>1 else z[0]["family"]
    def batch(s,rows):
        up=lambda n:-(-int(n)//8)*8
        T,C,W=up(s.len[rows].max()),int(s.ol[rows].max()),int(s.W[rows].max()); r=torch.from_numpy(rows).to(DEV)
        def take(flat,off,n,N,fill):
            a=torch.arange(N,device=DEV)[None]; ok=a<n[r][:,None]; return torch.where(ok,flat[(off[r][:,None]+a).clamp(max=len(flat)-1)],torch.tensor(fill,dtype=flat.dtype,device=DEV)),ok
        ids,mask=take(s.ids,s.o_len,s.tlen,T,0); codes,_=take(s.codes,s.o_len,s.tlen,T,0); owner,_=take(s.owner,s.o_ol,s.tol,C,-1)
        segs=((torch.arange(T,device=DEV)[None]>=s.tclaim[r][:,None])&mask).long()
        out=[(ids.long(),codes.long(),segs,mask,owner.long(),W)]
        if "labels" in s.keys: out.append((take(s.labels,s.o_w,s.tW,W,float("nan"))[0],s.tW[r],s.target[r],s.nc[r]))
        return out
def plan(lengths,rng,B,keep=None):
    order=np.arange(len(lengths)) if keep is None else keep.copy(); rng.shuffle(order); out=[]
    for st in range(0,len(order),20*B):
        b=order[st:st+20*B]; b=b[np.argsort(lengths[b],kind="stable")]; out+=[b[i:i+B] for i in range(0,len(b),B)]
    rng.shuffle(out); return out
HEADS=("codes.","word.","sentence.","non_claim.")
def train(net,data,seconds,lr,B,seed,drop=0.,keep=None,rounded=1.):
    net.train(); net.drop=drop; torch.manual_seed(seed); rng=np.random.default_rng(seed)
    g={1.:[],5.:[]}
    for n,p in net.named_parameters():
        if p.requires_grad: g[5. if n.startswith(HEADS) else 1.].append(p)
    ps=g[1.]+g[5.]
    opt=torch.optim.AdamW([dict(params=v,weight_decay=.01,f=k) for k,v in g.items()],lr=lr,fused=DEV=="cuda")
    t0=time.time(); step=0; L=[]; seen=0; ep=0
    while True:
        batches=iter(()) 
        k=None if keep is None else keep(rng)
        for b in plan(data.len,rng,B,k):
            done=(time.time()-t0)/seconds
            if done>=1: break
            QUANT[0]=done>=rounded
            f=min(done/.06+.01,1.) if done<.06 else (1-done)/.94
            for q in opt.param_groups: q["lr"]=lr*f*q["f"]
            opt.zero_grad(set_to_none=True); loss=0.; parts=max(1,-(-len(b)*int(data.len[b].max())//TOKENS))
            for c in np.array_split(b,parts):
                x,y=data.batch(c)
                with torch.autocast(DEV,dtype=torch.bfloat16,enabled=DEV=="cuda"): out=net(*x)
                l=loss_of(*y,*out)*(len(c)/len(b)); l.backward(); loss=loss+l.detach()
            torch.nn.utils.clip_grad_norm_(ps,1.); opt.step(); L.append(loss); step+=1; seen+=len(b)
            if step%200==0 or step in (50,100):
                m=torch.stack(L[-(200 if step>=200 else 50):]).mean().item(); say(f"  step {step} ep {ep} seen {seen} loss {m:.3f} {seen/(time.time()-t0):.0f}/s")
                if not m<2.5 or (step>=800 and m>1.6): say("  DIVERGED"); QUANT[0]=False; return dict(steps=step,seen=seen,loss=9.)
        else:
            ep+=1; continue
        break
    QUANT[0]=rounded<1; net.eval(); r=dict(steps=step,seen=seen,epochs=seen/len(data.len),loss=torch.stack(L[-300:]).mean().item(),seconds=seconds,lr=lr,batch=B,seed=seed,drop=drop); say(r); return r
class Eval:
    def __init__(s,path):
        s.d=Data([path]); z=np.load(path); s.z={k:z[k] for k in z.files}; s.w_off=np.concatenate([[0],np.cumsum(s.d.W)])
    def raw(s,net):
        net.eval(); n=len(s.d.len); words=np.zeros(s.w_off[-1],np.float32); cl=np.zeros((n,3),np.float32); nc=np.zeros(n,np.float32); order=np.argsort(s.d.len,kind="stable")
        B=128 if DEV=="cuda" else 16
        with torch.inference_mode():
            for st in range(0,n,B):
                b=order[st:st+B]
                with torch.autocast(DEV,dtype=torch.bfloat16,enabled=DEV=="cuda"): w,c,k=net(*s.d.batch(b)[0])
                w=w.cpu().numpy(); cl[b]=c.cpu().numpy(); nc[b]=k.cpu().numpy()
                for i,row in enumerate(b): words[s.w_off[row]:s.w_off[row+1]]=w[i,:s.d.W[row]]
        return words,cl,nc
    def values(s,raw):
        words,cl,nc=raw; z=s.z; n=len(cl); dm=np.zeros(n); worst=np.zeros(n)
        for i in range(n):
            a,b=s.w_off[i],s.w_off[i+1]; w=words[a:b].astype(float); c=z["content"][a:b]; t=z["telling"][a:b]
            x=w[c] if c.any() else w; dm[i]=np.logaddexp(0,np.sort(x)[-5:]/3).sum()/5; worst[i]=(w[t] if t.any() else w).max()
        e=cl.astype(float)/3; ent=np.logaddexp.reduce(e,1)-e[:,0]
        dm[z["copied"]]=0; ent[z["copied"]]=0; worst[z["copied"]]=-20
        d=1.35*dm+.46*ent; d=np.maximum(d,np.where(worst>=0,np.logaddexp(0,worst*.5-.8),0))
        tot=np.zeros(len(z["y"])); np.add.at(tot,z["row"],d**4); return -tot**.25
    def auc(s,net,tag):
        v=s.values(s.raw(net)); z=s.z; out={}
        for i,f in enumerate(z["fams"]):
            m=z["fam"]==i
            if len(set(z["y"][m]))==2: out[str(f)]=round(100*roc_auc_score(z["y"][m],v[m]),1)
        six=[a for f,a in out.items() if f[0] not in "yz"]
        say("EVAL",tag,"six",round(float(np.mean(six)),2),out); return out
def words_of(path):
    z=np.load(path); return torch.from_numpy(np.frombuffer(zlib.decompress(z["q"].tobytes()),np.int8).reshape(z["d"]).astype(np.float32)*z["s"][:,None])
def fresh(sd,seed=0):
    torch.manual_seed(seed); V,w=sd["words.weight"].shape; L=1+max(int(k.split(".")[1]) for k in sd if k.startswith("layers."))
    net=Net(V,w,L,sd["relative.weight"].shape[1],sd["layers.0.inner.weight"].shape[0],len(sd["positions.weight"]),len(sd["relative.weight"]),1e-5)
    miss=net.load_state_dict({k:v for k,v in sd.items() if not k.startswith(HEADS)},strict=False); assert all(k.startswith(HEADS) for k in miss.missing_keys),miss
    return net.to(DEV)
def pack_exact(sd,path,parts=4):
    """codes, two more bits of where the weight stands within its step, steps; the rest in half precision"""
    def one(k):
        m=sd[k].float(); c,st=quant(m,True); r=(m/st-c).clamp(-.499,.499); n=torch.floor((r+.5)*4).clamp(0,3)
        code=(c*4+n).to(torch.int16).cpu().numpy(); lo=(code&0xff).astype(np.uint8)
        hi=c.to(torch.int8).cpu().numpy(); fr=n.to(torch.uint8).cpu().numpy()
        f4=fr.reshape(-1,4); bits=(f4[:,0]|f4[:,1]<<2|f4[:,2]<<4|f4[:,3]<<6).astype(np.uint8)
        p=zlib.compressobj(9,strategy=zlib.Z_HUFFMAN_ONLY); b=p.compress(hi.tobytes())+p.flush()
        return k,np.frombuffer(b,np.uint8),bits,st[:,0].cpu().numpy()
    bigs=[k for k,v in sd.items() if k!="words.weight" and v.ndim==2 and (k.startswith("layers.") or v.numel()>=100000)]
    with ThreadPoolExecutor(14) as ex: done=list(ex.map(one,bigs))
    out=[{} for _ in range(parts)]; size=[0]*parts
    for k,b,f,st in sorted(done,key=lambda x:-len(x[1])):
        i=size.index(min(size)); out[i].update({k+"|q":b,k+"|f":f,k+"|s":st,k+"|d":np.array(sd[k].shape)}); size[i]+=len(b)+len(f)
    i=size.index(min(size))
    out[i].update({k:v.half().cpu().numpy() for k,v in sd.items() if k not in bigs and k!="words.weight"})
    for i,p in enumerate(out): np.savez(f"{path}_{i}.npz",**p)
    say("packed",path,[round(x/2**20,1) for x in size])
def unpack_exact(path,parts=4):
    sd={}
    for i in range(parts):
        z=np.load(f"{path}_{i}.npz")
        for k in z.files:
            if k.endswith("|q"):
                m=k[:-2]; d=tuple(z[m+"|d"]); c=np.frombuffer(zlib.decompress(z[k].tobytes()),np.int8).reshape(d).astype(np.float32)
                b=z[m+"|f"]; f=np.stack([b>>j&3 for j in (0,2,4,6)],1).reshape(d).astype(np.float32)
                sd[m]=torch.from_numpy((c+(f-1.5)/4)*z[m+"|s"][:,None])
            elif "|" not in k: sd[k]=torch.from_numpy(z[k].astype(np.float32))
    return sd
def mean(*sds): return {k:sum(s[k].float() for s in sds)/len(sds) for k in sds[0]}
