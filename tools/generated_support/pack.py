import json,random,numpy as np,torch,os,glob
from safetensors import safe_open
from transformers import AutoTokenizer
P=os.path.expanduser("~/.cache/faithkit/models/qwen2.5-coder-0.5b"); O="/work/main/data/gpu/qwen"
tok=AutoTokenizer.from_pretrained(P)
S=json.load(open("/work/out/nat/sources.json"))
TALK=("Summarize what happens in this conversation in two or three sentences, using the speakers' names.","Write a short summary of this conversation for somebody who missed it. Say who wants what and what they agree on.","In one or two sentences, what did the speakers decide and why?","Write a recap of this conversation with the most important details.")
TEXT=("Summarize the text in two or three sentences.","Summarize the text in one sentence.","Write a short summary of the text in your own words. Do not copy sentences.","Explain the main points of this text to a colleague in three sentences.","Write a brief summary, with the most important names and numbers.")
rng=random.Random(5); jobs=[]
for s in S:
    qs=TALK if s["kind"] in("chat","meeting","call") else TEXT
    for q in rng.sample(qs,2):
        ids=tok(tok.apply_chat_template([{"role":"system","content":"You are a helpful assistant."},{"role":"user","content":s["source"]+"\n\n"+q}],tokenize=False,add_generation_prompt=True)).input_ids
        jobs.append((s["id"],q,ids))
used=set(i for j in jobs for i in j[2])
for l in open("/work/data/claims/claims.jsonl"):
    r=json.loads(l); used.update(tok(r["summary"]).input_ids)
used|={151643,151645}|set(range(256)); print("vocab",len(used),"jobs",len(jobs),"mean",np.mean([len(j[2]) for j in jobs]))
vocab=np.array(sorted(used)); back={int(v):i for i,v in enumerate(vocab)}
json.dump(dict(vocab=vocab.tolist(),jobs=[(j[0],j[1]) for j in jobs]),open("/work/out/nat/jobs.json","w"))
flat=np.array([back[i] for j in jobs for i in j[2]],np.uint16); lens=np.array([len(j[2]) for j in jobs],np.int32)
arrays={"flat":flat,"lens":lens,"eos":np.array([back[151645],back[151643]])}
f=safe_open(P+"/model.safetensors","pt")
err={}
def q5(m):
    r,c=m.shape; g=m.reshape(r,c//32,32); a=g.abs().amax(-1,keepdim=True)
    best=None
    for k in (14.,15.,16.):
        st=(a/k).clamp(min=1e-8).half().float(); v=(g/st).round().clamp(-16,15); e=((v*st-g)**2).sum(-1,keepdim=True)
        if best is None: best=(e,st,v)
        else: w=e<best[0]; best=(torch.where(w,e,best[0]),torch.where(w,st,best[1]),torch.where(w,v,best[2]))
    _,st,v=best; u=(v+16).to(torch.uint8).reshape(-1,8).numpy()
    bits=np.unpackbits(u[...,None],axis=-1)[...,3:]  # 5 low bits
    return np.packbits(bits.reshape(-1)),st.half().reshape(-1).numpy(),float(best[0].sum().sqrt()/m.norm())
for k in f.keys():
    t=f.get_tensor(k).float()
    if "embed_tokens" in k or "lm_head" in k:
        t=t[torch.from_numpy(vocab)]; st=(t.abs().amax(1,keepdim=True)/127); arrays[k+"|8"]=(t/st).round().to(torch.int8).numpy(); arrays[k+"|s"]=st[:,0].numpy().astype(np.float32)
    elif t.ndim==2:
        b,s,e=q5(t); arrays[k+"|5"]=b; arrays[k+"|s"]=s; arrays[k+"|d"]=np.array(t.shape); err[k.split(".")[-2]]=e
    else: arrays[k]=t.numpy().astype(np.float16)
print(err)
size=0; part={}; n=0
for k in sorted(arrays,key=lambda k:-arrays[k].nbytes):
    if size+arrays[k].nbytes>61e6: np.savez(f"{O}/{n}.npz",**part); n+=1; part={}; size=0
    part[k]=arrays[k]; size+=arrays[k].nbytes
np.savez(f"{O}/{n}.npz",**part); print(n+1,[os.path.getsize(x) for x in sorted(glob.glob(O+"/*.npz"))])
