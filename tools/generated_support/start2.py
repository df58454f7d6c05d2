import torch,numpy as np,zlib
from pathlib import Path
from faithkit.models.tensors import read_tensors
sd=torch.load("start.pt")
ref={}
import sys; sys.argv=["x"]
ns={}; exec(open("train.py").read().replace('K=os.path.dirname(os.path.abspath(__file__))','K="."'),ns)
quant=ns["quant"]
out={}
for k,v in sd.items():
    if k=="words.weight": continue
    v=v.float()
    if v.ndim==2 and (k.startswith("layers.") or v.numel()>=100000):
        # step of each row: smallest positive magnitude
        a=v.abs(); st=torch.where(a>0,a,torch.inf).amin(1); 
        # the smallest nonzero may be 2 steps in tiny rows: check integrality
        c=v/st[:,None]; r=(c-c.round()).abs().max()
        if r>1e-2:
            for row in range(len(v)):
                if (c[row]-c[row].round()).abs().max()>1e-2:
                    for d in (2,3,4,5):
                        s=st[row]/d; q=v[row]/s
                        if (q-q.round()).abs().max()<1e-2: st[row]=s; break
            c=v/st[:,None]; r=(c-c.round()).abs().max()
        c=c.round(); assert c.abs().max()<=127,(k,c.abs().max())
        if r>1e-2: print(k,"off",float(r)); 
        p=zlib.compressobj(9,strategy=zlib.Z_HUFFMAN_ONLY); b=p.compress(c.to(torch.int8).numpy().tobytes())+p.flush()
        out[k+"|q"]=np.frombuffer(b,np.uint8); out[k+"|s"]=st.numpy(); out[k+"|d"]=np.array(v.shape)
    else: out[k]=v.numpy().astype(np.float32)
np.savez("start.npz",**out)
w=sd["words.weight"].float(); st=w.abs().amax(1)/127; q=(w/st[:,None]).round().to(torch.int8).numpy()
print("words err",float(((torch.from_numpy(q).float()*st[:,None]-w).norm()/w.norm())))
np.savez("words.npz",q=np.frombuffer(zlib.compress(q.tobytes(),1),np.uint8),d=np.array(w.shape),s=st.numpy())
import os; print([ (f,os.path.getsize(f)/2**20) for f in("start.npz","words.npz")])
