-- Who may publish and delete packages whose names match. Levels: 40, 50, or 60 for administrators alone; null for no rule.
create table package_protection_rules (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  format text not null,
  name_pattern text not null check (char_length(name_pattern) between 1 and 255),
  push_level int check (push_level in (40, 50, 60)),
  delete_level int check (delete_level in (40, 50, 60)),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint package_protection_rules_some check (push_level is not null or delete_level is not null),
  constraint package_protection_rules_unique unique (project_id, format, name_pattern)
);
create index package_protection_rules_of_project on package_protection_rules (project_id, id);
