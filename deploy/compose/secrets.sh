#!/bin/sh
# Prints a fresh secret for each variable that compose.yaml asks for:
#   deploy/compose/secrets.sh [<compose file>] > deploy/compose/.env
set -eu
grep -o '\${[A-Z_]*:?' "${1:-$(dirname "$0")/compose.yaml}" | tr -d '${:?' | sort -u | while read -r name; do
  printf '%s=%s\n' "$name" "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"
done
