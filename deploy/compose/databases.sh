#!/bin/sh
# Run once by the PostgreSQL image on an empty cluster: a database and a login role per service, each with a password of its own.
set -eu
create() {
  psql --set ON_ERROR_STOP=1 --set name="$1" --set password="$2" --dbname postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke all on database :"name" from public;
SQL
}
create switchyard_groups_admin "$SWITCHYARD_GROUPS_ADMIN_DATABASE_PASSWORD"
create switchyard_merge_requests "$SWITCHYARD_MERGE_REQUESTS_DATABASE_PASSWORD"
create switchyard_collaboration "$SWITCHYARD_COLLABORATION_DATABASE_PASSWORD"
create switchyard_alerts "$SWITCHYARD_ALERTS_DATABASE_PASSWORD"
