import numpy as np, zlib
from pathlib import Path
from faithkit.support.encoders import _read, read_words
P=Path("/work/main/src/faithkit/support/weights/support-mini")
plain,mats=_read(P); out={}
def pk(c): p=zlib.compressobj(9,strategy=zlib.Z_HUFFMAN_ONLY); return np.frombuffer(p.compress(np.ascontiguousarray(c).tobytes())+p.flush(),np.uint8)
for k,m in mats.items(): out[k+"|q"]=pk(m.codes); out[k+"|s"]=m.steps; out[k+"|d"]=np.array(m.codes.shape)
for k,v in plain.items(): out[k]=v.astype(np.float32)
np.savez("start6.npz",**out)
w=read_words(P); np.savez("words6.npz",q=pk(w.codes),s=w.steps,d=np.array(w.codes.shape))
print({k:tuple(out[k+"|d"]) for k in list(mats)[:9]},[k for k in plain][:6])
