-- additive
-- Who people of a forge are here, as far as an import has met them. Null: nobody.
create table import_people (
  import_id bigint not null references project_imports on delete cascade,
  login text collate "C" not null,
  user_id bigint,
  primary key (import_id, login)
);
