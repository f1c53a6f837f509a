#!/bin/sh
# Run once by the PostgreSQL image on an empty cluster: a database and a login role per service.
set -eu
for name in switchyard_groups_admin switchyard_merge_requests switchyard_collaboration switchyard_alerts; do
  psql --set ON_ERROR_STOP=1 --set name="$name" --set password="$SWITCHYARD_DATABASE_PASSWORD" --dbname postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke all on database :"name" from public;
SQL
done
