import sys,random,json,os,re
src=open("make.py").read().split("items=[]")[0]
exec(src)
used1={i["id"] for i in json.load(open("items.json"))}
rng=random.Random(13)
want=dict(story=176,news=220,chat=230,meeting=140,email=70,encyclopaedia=90,science=50,abstract=30,call=90,brief=60,contract=30,discharge=20,howto=14,earnings=20)
NEG=r"\b(?:not|never|no longer|no|cannot|can't|won't|didn't|doesn't|don't|wasn't|isn't|hasn't|haven't|couldn't|wouldn't|only|already|still|before|after|until|because|although|unless|may|might|must|should|will|would)\b"
def cloze(text,rate):
    lines=text.split("\n"); out=[]
    for l in lines:
        m=re.match(r"^([A-Z][\w.' -]{0,30}?(?: \([^)]*\))?)(:\s)",l)
        head,rest=("",l)
        if m: head,rest=m[1]+m[2],l[m.end():]; 
        if m and rng.random()<rate*.9: head="____"+m[2]
        def name(x): return "____" if rng.random()<rate*.55 else x[0]
        rest=re.sub(r"(?<=[a-z,;] )(?:[A-Z][a-zA-Z'-]+)(?: [A-Z][a-zA-Z'-]+)*",name,rest)
        rest=re.sub(r"(?<![\w.])[£$€]?\d[\d.,:]*\d?(?:%| per cent| million| pounds)?",lambda x:"____" if rng.random()<rate*.6 else x[0],rest)
        rest=re.sub(NEG,lambda x:"____" if rng.random()<rate*.6 else x[0],rest,flags=re.I)
        out.append(head+rest)
    return "\n".join(out)
def small_gaps(text):
    units=[l for l in text.split("\n") if l.strip()]
    if len(units)<8: units=[s.text.strip() for l in units for s in closed_sentences(l)]
    return "\n".join("[...]" if rng.random()<.15 else u for u in units)
items=[]
for k,n in want.items():
    l=[x for x in by[k] if x[1] not in used1]; rng.shuffle(l); print(k,len(l))
    for _,i,s in l[:n]:
        kind=rng.choice(("cloze","cloze","cloze","both","gaps"))
        shown=dict(cloze=lambda:cloze(s,rng.choice((.3,.5))),both=lambda:cloze(small_gaps(s),.25),gaps=lambda:gaps(s))[kind]()
        items.append(dict(id=i,kind=k,source=s,ask=rng.choice(ASKS),shown=shown))
rng.shuffle(items); json.dump(items,open("items2.json","w"),ensure_ascii=False)
for h in range(8):
    mine=items[h::8]; d=f"sheets/w{h+10}"; os.makedirs(d,exist_ok=True); json.dump(mine,open(d+"/items.json","w"),ensure_ascii=False)
    for p in range(0,len(mine),27):
        with open(f"{d}/texts{p//27+1}.txt","w") as f:
            for j,i in enumerate(mine[p:p+27],p+1): f.write(f"##### {j}  ({i['ask']})\n{i['shown']}\n\n")
print(len(items))
