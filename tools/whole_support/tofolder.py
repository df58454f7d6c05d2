"""tofolder.py PACKDIR TAG OUT"""
import sys, zlib, json; sys.path.insert(0,"/work/out/gpu/kit")
import numpy as np, torch
import train as G
from pathlib import Path
from dataclasses import replace
import faithkit.train.support as TS
from faithkit.support.network import save
d,tag,out=sys.argv[1:4]
ref=G.base(); sd={}
for i in range(4):
    z=np.load(f"{d}/{tag}_{i}.npz")
    for k in z.files:
        if k.endswith("|q"):
            m=k[:-2]; c=np.frombuffer(zlib.decompress(z[k].tobytes()),np.int8).reshape(ref[m].shape); sd[m]=ref[m]+torch.from_numpy(c.astype(np.float32)*z[m+"|s"][:,None])
        elif not k.endswith("|s"): sd[k]=torch.from_numpy(z[k].astype(np.float32))
s=TS.read_settings(Path("/work/out/soup8_float"))
Path(out).mkdir(parents=True,exist_ok=True)
save(Path(out),s,{k:v.half().contiguous() for k,v in sd.items()})
from faithkit import models
from faithkit.support.network import read_network
place,_=models.resolve("tokens","base",offline=True)
n=read_network(Path(out),place); print(sum(p.numel() for p in n.parameters()))
