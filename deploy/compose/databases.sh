#!/bin/sh
# Run by the PostgreSQL image on an empty cluster: for each variable <NAME>_DATABASE_PASSWORD a database and a login role <name>, with that
# password. What is there already stays as it is, so an operator runs it again for a service that is new.
set -eu
create() {
  psql --set ON_ERROR_STOP=1 --set name="$1" --set password="$2" --dbname postgres <<'SQL'
select format('create role %I login password %L', :'name', :'password')
where not exists (select from pg_roles where rolname = :'name') \gexec
select format('create database %1$I owner %1$I', :'name')
where not exists (select from pg_database where datname = :'name') \gexec
revoke all on database :"name" from public;
SQL
}
env | sed -n 's/^\(SWITCHYARD_[A-Z_]*\)_DATABASE_PASSWORD=/\1 /p' | while read -r name password; do
  create "$(echo "$name" | tr '[:upper:]' '[:lower:]')" "$password"
done
