#!/bin/sh
# Writes the charts from the catalogue into `charts/`, each with its dependencies where helm finds them; needed before `helm install`,
# and again after a change. HELM names another helm than the one in PATH.
set -eu
helm=${HELM:-helm}
cd "$(dirname "$0")"
node charts.mjs "$@"
cd "${1:-charts}"
# The umbrella comes last: it packs the others.
for chart in */Chart.yaml; do
  case $(dirname "$chart") in
    library | switchyard) ;;
    *) "$helm" dependency update --skip-refresh "$(dirname "$chart")" ;;
  esac
done
"$helm" dependency update --skip-refresh switchyard
