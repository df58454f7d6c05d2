import sys; sys.path.insert(0,"/work/main/bench")
from pathlib import Path
from types import SimpleNamespace
from faithkit import models
from faithkit.models.runtime import Runtime
from faithkit.run import prepare
from faithkit.evaluation import examples
from faithkit.train import support_calibration as C
from faithkit.train.support_rows import HELD_OUT
D=Path("/work/data"); what=sys.argv[1]
if what=="cal":
    m=models.load("support:mini",Runtime(offline=True)); rows=C.calibration_rows(D,HELD_OUT); print(len(rows)); C.judge(rows,m); C.non_claim_logits(rows,m)
(p,)=prepare(["support"],Runtime(offline=True))
if what=="left":
    import left_out as L
    for f in L.FILES:
        _,rows=examples.read(f,str(D),60); list(p.metric.score(list(rows))); print(f,flush=True)
if what=="near":
    import near_copies as N
    for f in N.FILES: list(p.metric.score(list(N.changed(f,D)))); print(f,flush=True)
if what=="unseen":
    for f in ["qags_xsum","cliff[origin=xsum]","entfa_dev","covidfact[documents=300]","climate_fever[documents=150]"]:
        _,rows=examples.read(f,str(D),None); list(p.metric.score(list(rows))); print(f,flush=True)
if what=="read":
    import read_marks as R
    rs=R.read_rows(D)
    from faithkit import Example
    list(p.metric.score([r.row for r in rs]))
    for f in ("pairs","clinical"): list(p.metric.score(list(examples.read(f"/work/main/examples/{f}.jsonl",None,None)[1])))
