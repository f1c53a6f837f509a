#!/bin/sh
# Puts each chart's dependencies where helm looks for them; needed once after a change, before `helm install`.
set -eu
cd "$(dirname "$0")"
for chart in gateway groups-admin merge-requests collaboration alerts switchyard; do
  helm dependency update --skip-refresh "$chart"
done
