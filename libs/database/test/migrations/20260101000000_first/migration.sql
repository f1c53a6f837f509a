create table things (
  id bigint generated always as identity primary key,
  name text not null,
  rank integer,
  due timestamptz,
  constraint things_name_key unique (name)
);
