
F_=["in_all"]
answers(as_shipped(),"ship",F_)
a=run("C",load(dithered(int(os.environ.get("DITHER","6")))),FIRST,LR,61,keep(1,TIMES,SHARE)); A=sd_of(a); codes_out(A,"C")
for i in range(3): shutil.copy(f"{KEEP}/codes_C_{i}.npz",OUT)
answers(A,"C",F_)
s=dithered(6); mm=mean(s,A); score(load(mm),"sC"); codes_out(mm,"sC"); answers(mm,"sC",F_)
