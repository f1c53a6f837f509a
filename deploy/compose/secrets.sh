#!/bin/sh
# Prints fresh secrets for compose.yaml:
#   deploy/compose/secrets.sh > deploy/compose/.env
set -eu
for name in SECRET ROOT_TOKEN DATABASE_PASSWORD GROUPS_ADMIN_DATABASE_PASSWORD MERGE_REQUESTS_DATABASE_PASSWORD \
  COLLABORATION_DATABASE_PASSWORD ALERTS_DATABASE_PASSWORD; do
  printf 'SWITCHYARD_%s=%s\n' "$name" "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"
done
