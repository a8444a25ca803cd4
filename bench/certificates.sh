#!/usr/bin/env bash
# Sizes and times of certificates: allreduces of 1024 ranks, medians of 5 runs. Usage: bench/certificates.sh [BUILD]
set -eu
build=$(realpath "${1:-build/default}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# median COMMAND..: processor seconds and peak MiB of the run in the middle.
median() {
  for _ in 1 2 3 4 5; do
    /usr/bin/time -a -o times -f '%U %S %M' "$@" >/dev/null
  done
  awk '{ print $1 + $2, $3 }' times | sort -n | awk 'NR == 3 { printf "%s s, %d MiB", $1, $2 / 1024 }'
  rm times
}

for algorithm in swing rabenseifner ring; do
  subject="--algo $algorithm --p 1024"
  "$build/verify" export $subject --to json -o s.json
  echo "$algorithm: verify $(median "$build/verify" $subject)," \
    "with --certify $(median "$build/verify" $subject --certify s.cert)," \
    "verify-check $(median "$build/verify-check" s.json s.cert);" \
    "$(($(stat -c %s s.json) / 1000000)) MB of schedule, $(($(stat -c %s s.cert) / 1000)) KB of certificate"
done
