"""setcard.py FOLDER: the card of S5 with what the calibration said"""
import sys, json
from pathlib import Path
from dataclasses import replace, asdict
import faithkit.train.support as TS
from faithkit.support.files import read_settings
from faithkit.support.network import write_settings
from faithkit.models.identity import model_id
rows=json.load(open("/work/out/gpu/rows.json"))
drawn={"claims":81453,"nli":29436,"edited":16000,"made":8000,"relations":6000,"speakers":6000,"questions":5000,"xsum":3874,"knowledge_replies":3402,"bump":2848,"wikipedia":2659,"summedits_sales":2296,"cg2c":2060,"web":1220,"summedits_news":1121,"summedits_podcast":981,"non_claims":900,"paraphrased":603}
most={"science":0,"conjnli":0,"nli":40000,"questions":5000,"edited":16000,"speakers":6000,"relations":6000,"made":8000,"paraphrased":2500,"non_claims":900,"knowledge_replies":4000}
def card(batch,rate,training_seed,seen,steps,seconds,**more):
    o=TS.Options(most=most,repeat={"claims":1},made=5,edited=16000,documents=450,batch=batch,budget=(40,180),seed=11,rate=rate,dropout=.1,epochs=max(1,round(seen/173837)))
    return {"options":json.loads(json.dumps(asdict(o))),"rows":rows,"sentences":173837,"sentences_by_family":drawn,"seen":seen,"steps":steps,"seconds":seconds,"training_seed":training_seed,"device":"NVIDIA H200",**more}
start=TS._earlier(Path("/work/out/soup8_float"))
s1=card(64,3e-5,0,167616,2619,110); s2=card(128,6e-5,1,299930,2345,110); s3=card(64,1.5e-5,2,150605,2354,80,start=start)
s4=card(64,4e-5,3,229581,3588,110,teachers=[{"card":s1},{"card":s2},{"card":s3}])
s5=card(128,8e-5,5,375706,2937,115,teachers=[{"card":s2},{"card":s4}])
f=Path(sys.argv[1]); s=read_settings(f)
taken={n:s.card[n] for n in TS.CALIBRATION if n in s.card}
write_settings(f,replace(s,card={**s5,**taken}))
print(len(json.dumps(s5)), model_id(f,tokenizer=False))
