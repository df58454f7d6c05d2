"""the shipped graph in torch, operation by operation: layers' states rounded to 255 levels per token, integer products exact"""
import numpy as np, torch, math
import torch.nn.functional as F
def distance_classes(tokens,classes):
    place=np.arange(tokens); d=place[None,:]-place[:,None]; half=classes//2; away=np.abs(d); single=half//2
    ratio=np.log(np.maximum(away,1).astype(np.float32)/np.float32(single)); share=ratio/np.float32(math.log(128/single))
    wide=np.minimum(single+(share*(half-single)).astype(np.int64),half-1)
    return half*(d>0)+np.where(away<single,away,wide)
class Exact:
    """weights: as read_weights gives them (codes transposed int8 [inner,outer], steps); words (codes int8, steps)"""
    def __init__(s,weights,words,dev,heads=12,eps=1e-5):
        s.dev=dev; s.heads=heads; s.eps=eps; s.w={}
        for k,v in weights.items():
            t=torch.from_numpy(np.ascontiguousarray(v))
            if k.startswith("layers.") and k.endswith(".weight") and v.dtype==np.int8: s.w[k]=(t.to(dev) if dev=="cuda" else t.float())
            else: s.w[k]=t.float().to(dev)
        s.codes=torch.from_numpy(np.ascontiguousarray(words[0])).to(dev); s.steps=torch.from_numpy(np.ascontiguousarray(words[1])).to(dev)
        s.classes=torch.from_numpy(distance_classes(512,len(s.w["relative.weight"]))).to(dev); s.layers=1+max(int(k.split(".")[1]) for k in weights if k.startswith("layers."))
    def quant(s,x):
        st=x.abs().amax(-1,keepdim=True).clamp(min=1e-30)/127
        return torch.round(x/st),st
    def proj(s,q,st,at):
        W=s.w[at+".weight"]
        if s.dev=="cuda":
            n=q.shape[0]; qi=q.to(torch.int8)
            if n<32: qi=F.pad(qi,(0,0,0,32-n))
            try: p=torch._int_mm(qi,W)[:n].float()
            except RuntimeError as e:
                if not s.__dict__.get("warned"): print("no int_mm",str(e)[:200]); s.warned=1
                p=q@W.float()
        else: p=q@W
        return p*st*s.w[at+".steps"]+s.w[at+".bias"]
    def norm(s,x,at): return F.layer_norm(x,(x.shape[-1],),s.w[at+".weight"],s.w[at+".bias"],s.eps)
    def __call__(s,ids,codes,segs,mask,owner,W):
        B,T=ids.shape; w=s.w; D=w["norm.weight"].shape[0]
        x=s.codes[ids].float()*s.steps[ids][...,None]+w["codes.weight"][codes]+w["segments.weight"][segs]+w["positions.weight"][:T]
        x=s.norm(x,"norm"); flat=mask.flatten(); kept=flat.nonzero()[:,0]
        x=x.flatten(0,1)[kept]
        bias=w["relative.weight"][s.classes[:T,:T]].permute(2,0,1)[None].masked_fill(~mask[:,None,None,:],-1e30)
        def rows(y):
            z=torch.zeros(B*T,D,device=y.device); z[kept]=y; return z.view(B,T,s.heads,-1).transpose(1,2)
        for n in range(s.layers):
            a=f"layers.{n}."; q,st=s.quant(x)
            Q,K,V=(rows(s.proj(q,st,a+p)) for p in("query","key","value"))
            att=((Q@K.transpose(2,3))*(D//s.heads)**-.5+bias).softmax(-1)@V
            att=att.transpose(1,2).reshape(B*T,D)[kept]
            x=s.norm(s.proj(*s.quant(att),a+"attended")+x,a+"attended_norm")
            h=F.gelu(s.proj(*s.quant(x),a+"inner"))
            x=s.norm(s.proj(*s.quant(h),a+"outer")+x,a+"outer_norm")
        z=torch.zeros(B*T,D,device=x.device); z[kept]=x; x=z.view(B,T,D)
        inc=((segs==0)&mask).float(); inc[:,0]=0
        mean=torch.einsum("rt,rtw->rw",inc,x)/inc.sum(1,keepdim=True)
        P=(owner[:,None,:]==torch.arange(W,device=ids.device)[None,:,None]).float(); P=P/P.sum(2,keepdim=True).clamp(min=1)
        pooled=P@x[:,1:1+owner.shape[1]]
        lin=lambda h,at: F.linear(h,w[at+".weight"],w[at+".bias"])
        words=lin(F.gelu(lin(pooled,"word.0")),"word.2").squeeze(-1)
        sent=lin(F.gelu(lin(torch.cat([x[:,0],mean],-1),"sentence.0")),"sentence.2")
        return words,sent,lin(mean,"non_claim").squeeze(-1)
