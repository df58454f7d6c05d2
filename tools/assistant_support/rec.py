"""rec.py MODE FILE SCRIPT ARGS...: runs a script of the repository with the support network's logits recorded (stub answers)
or replayed. MODE: record (inputs asked for are written to FILE), replay (answers from FILE.npz; others computed)."""
import sys,os,hashlib,pickle,runpy,atexit,numpy as np
mode,store=sys.argv[1],sys.argv[2]; sys.argv=sys.argv[3:]
import faithkit.support.model as M
Support=M.Support
key=lambda i: hashlib.sha256(b"|".join((np.asarray(i.ids,np.uint16).tobytes(),np.asarray(i.codes,np.uint8).tobytes(),np.asarray(i.owner,np.int16).tobytes(),str((i.words,i.claim)).encode()))).digest()
seen={}
real=Support.logits
def stub(self,inputs):
    out=[]
    for i in inputs:
        k=key(i); seen.setdefault(k,(np.asarray(i.ids,np.uint16),np.asarray(i.codes,np.uint8),np.asarray(i.owner,np.int16),i.words,i.claim))
        r=np.random.default_rng(int.from_bytes(k[:4],"big")); out.append((r.normal(-2,1.5,i.words).astype(np.float32),r.normal(0,1.5,3).astype(np.float32),-8.))
    return out
if mode=="record":
    Support.logits=stub
    def save():
        old=pickle.load(open(store,"rb")) if os.path.exists(store) else {}
        old.update(seen); pickle.dump(old,open(store,"wb")); print("recorded",len(seen),"all",len(old),file=sys.stderr)
    atexit.register(save)
else:
    A=pickle.load(open(store,"rb")); miss=[0,0]
    def replay(self,inputs):
        inputs=list(inputs); need=[i for i in inputs if key(i) not in A]; miss[0]+=len(need); miss[1]+=len(inputs)
        got=iter(real(self,need) if need else [])
        return [A[key(i)] if key(i) in A else next(got) for i in inputs]
    Support.logits=replay
    atexit.register(lambda: print("computed",miss[0],"of",miss[1],file=sys.stderr))
if sys.argv[0].endswith(".py"):
    sys.path.insert(0,os.path.dirname(os.path.abspath(sys.argv[0]))); runpy.run_path(sys.argv[0],run_name="__main__")
else:
    from faithkit.cli import main
    main()
