import pickle,glob,numpy as np
R={}
for f in sorted(glob.glob("in.*.pkl")): d=pickle.load(open(f,"rb")); print(f,len(d)); R.update(d)
v=list(R.values()); pickle.dump(list(R),open("in_all_keys.pkl","wb"))
np.savez_compressed("in_all.npz",ids=np.concatenate([x[0] for x in v]),codes=np.concatenate([x[1] for x in v]),owner=np.concatenate([x[2] for x in v]),
  len=np.array([len(x[0]) for x in v]),claim=np.array([x[4] for x in v]),owner_len=np.array([len(x[2]) for x in v]),words=np.array([x[3] for x in v]))
print(len(v),np.mean([len(x[0]) for x in v]))
