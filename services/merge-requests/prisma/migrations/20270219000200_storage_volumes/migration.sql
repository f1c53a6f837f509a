-- additive
-- The volume of each storage, which has the same name in a file beside its repositories.
create table storage_volumes (
  storage text primary key,
  volume text not null,
  created_at timestamptz(3) not null default now()
);
