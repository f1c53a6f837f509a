#!/bin/sh
# Run once by the PostgreSQL image on an empty cluster: for each variable <NAME>_DATABASE_PASSWORD a database and a login role <name>,
# with that password.
set -eu
create() {
  psql --set ON_ERROR_STOP=1 --set name="$1" --set password="$2" --dbname postgres <<'SQL'
create role :"name" login password :'password';
create database :"name" owner :"name";
revoke all on database :"name" from public;
SQL
}
env | sed -n 's/^\(SWITCHYARD_[A-Z_]*\)_DATABASE_PASSWORD=/\1 /p' | while read -r name password; do
  create "$(echo "$name" | tr '[:upper:]' '[:lower:]')" "$password"
done
