"""prep9.py OUT SEEDS...: units of the ninth round's claims, once for each seed"""
import sys, json, time
src=open('/work/out/gpu3/prep3.py').read()
exec(src.split("t=time.time()\nrows")[0])
t=time.time()
out_path=sys.argv[1]; seeds=list(map(int,sys.argv[2:]))
NAMES="brief_leaflets call_transcripts chat_texts chat_threads email_inboxes meeting_transcripts news_current story_shorts brief_snippets chat_exchanges meeting_queries news_explained story_outlines".split()
sys.path.insert(0,"/work/main/tools"); import build_claims as BC
from faithkit.train.labels import labelled
from faithkit.train.speakers import speaker_claims
lines=[]
for n in NAMES:
  if (BC.FOLDER/"written"/f"{n}.txt").exists(): lines+=[json.dumps(r) for r in BC.of_file(BC.FOLDER/"written"/f"{n}.txt")]
import os; D=os.environ.get("D9","/work/out/data9"); os.makedirs(D+"/claims",exist_ok=True)
open(D+"/claims/claims.jsonl","w").write("\n".join(lines)+"\n")
rows=labelled(["claims_train"],Path(D)); print(len(lines),len(rows))
from faithkit.support.evidence import rank_evidence
tok = read_tokenizer(place)
ps0=list(pieces(rows))
fams=["claims","speakers","ablated","apart"]; drawn=[]
exec("NAN3="+src.split("NAN3=")[1].split("def shard")[0])
out={k:[] for k in "ids codes len claim owner owner_len labels words target non_claim family".split()}
for SEED in seeds:
    o=Options(most=most,budget=(60,340),seed=SEED)
    def put(u):
        i = input_of(u,o)
        out["ids"].append(i.ids.astype(np.uint16)); out["codes"].append(i.codes.astype(np.uint8)); out["len"].append(len(i.ids)); out["claim"].append(i.claim)
        out["owner"].append(i.owner.astype(np.int16)); out["owner_len"].append(len(i.owner)); out["labels"].append(u.labels.astype(np.float16)); out["words"].append(i.words)
        out["target"].append(u.target.astype(np.float16)); out["non_claim"].append(u.non_claim); out["family"].append(fams.index(u.family))
    sp=list(pieces(speaker_claims(rows,SEED)))
    ps=ps0+sp[:1500]
    print("speakers",len(sp),"supported",sum(p.target[0]==1 for p in sp))
    for u in units(ps,tok,390): put(u)
    a=len(out["len"])
    for u in ablated(ps0,.2): put(u)
    for u in apart(ps0): put(u)
    print(SEED,a,len(out["len"]),time.time()-t,flush=True)
np.savez(out_path, fams=np.array(fams), **{k:np.concatenate(out[k]) for k in ("ids","codes","owner","labels")}, target=np.stack(out["target"]),
     **{k:np.array(out[k]) for k in ("len","claim","owner_len","words","non_claim","family")})
