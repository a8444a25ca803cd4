#!/bin/sh
# Prints a schedule: a broadcast of one block from rank 0 along the chain 0, 1, 2, ..
# Usage: chain.sh RANKS
set -eu
ranks=$1
echo '{"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":'"$ranks"',"blocks":1,"root":0,'
echo '"algorithm":"chain","steps":['
rank=1
while [ "$rank" -lt "$ranks" ]; do
  [ "$rank" -eq 1 ] || echo ,
  echo '[{"src":'$((rank - 1))',"dst":'"$rank"',"blocks":[0],"op":"copy"}]'
  rank=$((rank + 1))
done
echo ']}'
