"""agreement of second readings: items of b marked `again` with the answers of a"""
import json,re,glob
def answers(d):
    out={}
    for a in glob.glob(d+"/answers*.txt"):
        for l in open(a):
            m=re.match(r"(\d+)\.(\d+) (ok|\?|no)(?: (\w+) \| (.*?) \| (.*))?$",l.strip())
            if m: out[int(m[1]),int(m[2])]=(m[3],m[5])
    return out
A={}
for h in range(8):
    d=f"/work/out/nat/sheets/a{h}"; its=json.load(open(d+"/items.json")); an=answers(d)
    for (i,k),v in an.items(): A[its[i-1]["id"],its[i-1]["sentences"][k-1][0]]=v
from collections import Counter
C=Counter(); both=0; touch=0; dis=[]
for h in range(8):
    d=f"/work/out/nat/sheets/b{h}"; its=json.load(open(d+"/items.json")); an=answers(d)
    for (i,k),v in an.items():
        it=its[i-1]
        if "again" not in it: continue
        key=(it["id"],it["sentences"][k-1][0])
        if key not in A: continue
        a=A[key]; C[a[0],v[0]]+=1
        if a[0]=="no"==v[0]:
            both+=1; W=lambda s:set(re.findall(r"\w+",s.lower())); touch+=bool(W(a[1])&W(v[1]))
        elif {a[0],v[0]}=={"ok","no"}: dis.append((key,a,v))
print(C); n=sum(c for k,c in C.items() if "?" not in k); print("agree",sum(c for k,c in C.items() if "?" not in k and k[0]==k[1]),"of",n,"share word",touch,both)
for x in dis[:12]: print(x)
