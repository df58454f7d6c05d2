a=run("A",load(dithered(1)),FIRST,LR,51,keep(TIMES,SHARE)); A=sd_of(a); codes_out(A,"A")
aw,ac=judge(a); teach((sw+aw)/2,(sc+ac)/2)
b=run("B",a,END-(time.time()-T0)-30,LR,52,keep(TIMES,SHARE)); Bw=sd_of(b); codes_out(Bw,"B")
s=dithered(1)
for tag,sds in (("sAB",(s,A,Bw)),("AB",(A,Bw)),("sA",(s,A)),("sB",(s,Bw))):
    if time.time()-T0>END: say("no time for",tag); continue
    mm=mean(*sds); score(load(mm),tag); codes_out(mm,tag)
