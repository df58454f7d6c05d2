"""ship.py CODES_PREFIX OUT : the shipped folder with other codes; card updated"""
import sys,zlib,json,shutil,numpy as np
from pathlib import Path
from dataclasses import replace
from safetensors.numpy import save as st_save, load_file
from faithkit.support.quantised import pack
from faithkit.support.files import read_settings, WEIGHTS
from faithkit.models.tensors import read_tensors
import faithkit.support.export as E
src=Path("/work/main/src/faithkit/support/weights/support-mini"); out=Path(sys.argv[2])
shutil.copytree(src,out); [p.chmod(0o644) for p in out.iterdir()]
old=read_tensors(src/WEIGHTS); new={}
got={}
for i in range(3):
    z=np.load(f"{sys.argv[1]}_{i}.npz")
    for k in z.files: got[k]=z[k]
tensors={}
for name,value in old.tensors.items():
    base=name
    if name.endswith(".steps"):
        w=name.removesuffix(".steps")+".weight"; tensors[name]=got[w+"|s"].astype(np.float32); assert tensors[name].shape==value.shape
    elif name+"|q" in got:
        d=tuple(got[name+"|d"]); c=np.frombuffer(zlib.decompress(got[name+"|q"].tobytes()),np.int8).reshape(d)
        tensors[name]=pack(c.T if name.startswith(E.LAYERS) else c)
    else:
        tensors[name]=got[name].astype(value.dtype); assert tensors[name].shape==value.shape,(name,value.shape)
meta=dict(old.metadata); s=json.loads(meta["settings"])
if len(sys.argv)>3: s["card"]={**{k:s["card"][k] for k in("left_out","calibrated_on","non_claims")},**json.loads(open(sys.argv[3]).read())}; meta["settings"]=json.dumps(s,ensure_ascii=False,sort_keys=True)
(out/WEIGHTS).write_bytes(st_save(tensors,metadata=meta))
print("difference from torch",E._finish(out,out,E.ROUNDED))
