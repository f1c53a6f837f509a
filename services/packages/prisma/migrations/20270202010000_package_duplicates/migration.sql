-- Whether files of a format may be published again below a group, and the packages for which the opposite holds.
create table package_duplicate_rules (
  group_id bigint not null,
  format text not null,
  allowed boolean not null,
  exceptions text not null check (char_length(exceptions) <= 255),
  updated_at timestamptz(3) not null default now(),
  primary key (group_id, format)
);
