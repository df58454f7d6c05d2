"""pack.py: base encoder in 8-bit steps, two parts, and the trained low-rank changes of soup8"""
import numpy as np, zlib, json, sys, shutil
from pathlib import Path
from concurrent.futures import ThreadPoolExecutor
from faithkit import models
from faithkit.support.network import from_encoder
place,_=models.resolve("tokens","base",offline=True)
net=from_encoder(place)
sd={k:v.detach().numpy() for k,v in net.state_dict().items()}
def pack(m):
    rms=np.sqrt((m**2).mean(1)); st=np.maximum(.07*rms,np.abs(m).max(1)/127).astype(np.float32); st[st==0]=1
    c=np.rint(m/st[:,None]).astype(np.int8)
    p=zlib.compressobj(9,strategy=zlib.Z_HUFFMAN_ONLY); b=p.compress(c.tobytes())+p.flush()
    return np.frombuffer(b,np.uint8),st
big=[k for k,v in sd.items() if v.ndim==2 and v.size>=100000]
small={k:v.astype(np.float16) for k,v in sd.items() if k not in big}
with ThreadPoolExecutor(2) as ex: packed=dict(zip(big,ex.map(lambda k:pack(sd[k]),big)))
parts=[{},{}]; sizes=[0,0]
for k in sorted(big,key=lambda k:-len(packed[k][0])):
    w=sizes.index(min(sizes)); parts[w][k]=packed[k]; sizes[w]+=len(packed[k][0])
for n,p in enumerate(parts):
    np.savez(f"/work/out/gpu/kit/base_{n}.npz",**{k+"|q":v[0] for k,v in p.items()},**{k+"|s":v[1] for k,v in p.items()},**{k+"|d":np.array(sd[k].shape) for k in p})
np.savez("/work/out/gpu/kit/small.npz",**small)
shutil.copy("/work/out/soup8_float/model.safetensors","/work/out/gpu/kit/soup8.safetensors")
print(sizes)
