"""sheet.py H: the summaries of writer H as sheets for a judge"""
import sys,json,re,os
norm=lambda t:re.sub(r"[^a-z0-9]+"," ",t.lower()).strip()
h=sys.argv[1]; items=json.load(open(f"sheets/w{h}/items.json")); d=f"sheets/j{h}"; os.makedirs(d,exist_ok=True); mine=[]; n=0
for p in range(0,len(items),27):
    f=f"sheets/w{h}/summaries{p//27+1}.txt"
    if not os.path.exists(f): print("missing",f); continue
    blocks={int(a):b for a,b in re.findall(r"^##### (\d+)[^\n]*\n(.*?)(?=^##### |\Z)",open(f).read(),re.M|re.S)}
    for j,i in enumerate(items[p:p+27],p+1):
        # headings are numbered through or from 1 in each file
        b=blocks.get(j) or blocks.get(j-p)
        if not b: print("no summary",j); continue
        ss=[re.sub(r"^[-*•]\s+","",l).strip() for l in b.strip().split("\n") if l.strip()]
        src=norm(i["source"]); mine.append(dict(i,sentences=[(s,norm(s) in src) for s in ss]))
for p in range(0,len(mine),27):
    with open(f"{d}/part{p//27+1}.txt","w") as f:
        for j,i in enumerate(mine[p:p+27],p+1):
            f.write(f"##### {j}\nSOURCE:\n{i['source']}\n\nSUMMARY:\n")
            for k,(s,c) in enumerate(i["sentences"],1): f.write(f"(copied) {s}\n" if c else f"[{j}.{k}] {s}\n"); n+=not c
            f.write("\n")
json.dump(mine,open(f"{d}/items.json","w"),ensure_ascii=False); print(len(mine),n)
