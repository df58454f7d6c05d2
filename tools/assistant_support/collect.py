"""answers -> data/claims/generated.jsonl ; collect.py OUT WAVES..."""
import sys,re,json,glob,os
from collections import Counter
out,waves=sys.argv[1],sys.argv[2:]
C=Counter(); lines=[]
for d in sorted(p for w in waves for p in glob.glob(f"/work/out/nat2/sheets/{w}")):
    items=json.load(open(d+"/items.json"))
    for a in sorted(glob.glob(d+"/answers*.txt")):
        n=re.search(r"answers(\d+)",a)[1]
        S={m[1]:m[2] for m in re.finditer(r"^\[(\d+\.\d+)\] (.*)$",open(f"{d}/part{n}.txt").read(),re.M)}
        for l in open(a):
            m=re.match(r"(\d+)\.(\d+) (ok|\?|no (\w+) \| (.*?) \| (.*))$",l.strip())
            if not m or f"{m[1]}.{m[2]}" not in S: C["bad"]+=1; continue
            text=S[f"{m[1]}.{m[2]}"]; it=items[int(m[1])-1]
            assert text in [s for s,_ in it["sentences"]],(d,m[0])
            if m[3]=="?": C["?"]+=1; continue
            if m[3]=="ok": C["ok"]+=1; lines.append(dict(document=it["id"],summary=text,label=1,spans=[],error_types=[],corrected=None)); continue
            spans=[]; at=0
            for w in m[5].split(" ; "):
                w=w.strip()
                f=[x for x in re.finditer(r"(?<!\w)"+re.escape(w)+r"(?!\w)",text)] or [x for x in re.finditer(re.escape(w),text)]
                if not f: C["part not found"]+=1; continue
                g=[x for x in f if x.start()>=at and not any(x.start()<e and s<x.end() for s,e,_ in spans)] or [x for x in f if not any(x.start()<e and s<x.end() for s,e,_ in spans)]
                if not g: C["twice"]+=1; continue
                spans.append([g[0].start(),g[0].end(),m[4]]); at=g[0].end()
            if not spans: C["no span"]+=1; continue
            corr=m[6].strip(); corr=None if corr in("-","") or corr==text else corr
            C["no"]+=1; C["corrected"]+=corr is not None; C["e:"+m[4]]+=1
            lines.append(dict(document=it["id"],summary=text,label=0,spans=sorted(spans),error_types=[m[4]],corrected=corr))
open(out,"w").writelines(json.dumps(x,ensure_ascii=False)+"\n" for x in lines)
print(len(lines),C)
