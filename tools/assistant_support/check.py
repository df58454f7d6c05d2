import sys,re
d,n=sys.argv[1],sys.argv[2]
ERR=set("number unit date entity role negation antonym quantity modality plan cause order attribution comparison coreference invention overgeneralisation".split())
S={m[1]:m[2] for m in re.finditer(r"^\[(\d+\.\d+)\] (.*)$",open(f"{d}/part{n}.txt").read(),re.M)}
seen={}; bad=0
for i,l in enumerate(open(f"{d}/answers{n}.txt"),1):
    l=l.strip()
    if not l: continue
    m=re.match(r"(\d+\.\d+) (ok|\?|no (\w+) \| (.*?) \| (.*))$",l)
    if not m: print(f"line {i}: not understood: {l[:80]}"); bad+=1; continue
    k=m[1]
    if k not in S: print(f"line {i}: no sentence {k}"); bad+=1; continue
    seen[k]=1
    if m[3]:
        if m[3] not in ERR: print(f"line {i}: unknown error {m[3]}"); bad+=1
        for w in m[4].split(" ; "):
            if not w.strip() or w.strip() not in S[k]: print(f"line {i}: {w!r} is not in {S[k]!r}"); bad+=1
        if m[5].strip()==S[k]: print(f"line {i}: corrected is the same"); bad+=1
miss=[k for k in S if k not in seen]
if miss: print("no answer for",miss)
print("fine" if not bad and not miss else "mend these",len(seen),"of",len(S))
