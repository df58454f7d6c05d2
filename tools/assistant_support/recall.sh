cd /work/main; export FAITHKIT_CACHE=/tmp/reccache FAITHKIT_DATA=/work/data; P=.venv/bin/python; R=/work/out/nat2/rec.py; S=/work/out/gpu2/in
for w in read cal left near unseen; do date +%T; echo $w; $P $R record $S.$w.pkl /work/out/nat2/recall.py $w; done
date +%T; $P $R record $S.speakers.pkl bench/speakers.py --data-dir /work/data -o /tmp/sp.md
$P $R record $S.form.pkl bench/form.py examples/pairs.jsonl > /tmp/form.txt
date +%T; echo end
cd /work/main; $P $R record $S.read.pkl /work/out/nat2/recall.py read; date +%T; echo end2
