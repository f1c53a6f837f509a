-- Who has approved a merge request and not taken it back (G-4.2-8).
create table merge_request_approvals (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (merge_request_id, user_id)
);
create index merge_request_approvals_of_user on merge_request_approvals (user_id, merge_request_id);

-- Rules of a project, or of one merge request in place of those of its project.
create table approval_rules (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  -- Null: a rule of the project.
  merge_request_id bigint references merge_requests (id) on delete cascade,
  -- The rule of the project that one of a merge request was made from.
  source_rule_id bigint references approval_rules (id) on delete set null,
  rule_type text not null check (rule_type in ('any_approver', 'regular')),
  name text not null check (char_length(name) between 1 and 255),
  approvals_required integer not null default 0 check (approvals_required between 0 and 100),
  -- Holds for branches that a rule protects, whichever they are, and for no others.
  applies_to_all_protected_branches boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index approval_rules_of_project_name on approval_rules (project_id, name) where merge_request_id is null;
create unique index approval_rules_of_merge_request_name on approval_rules (merge_request_id, name) where merge_request_id is not null;
create unique index approval_rules_of_project_any on approval_rules (project_id) where merge_request_id is null and rule_type = 'any_approver';
create unique index approval_rules_of_merge_request_any on approval_rules (merge_request_id) where merge_request_id is not null and rule_type = 'any_approver';
create index approval_rules_of_project on approval_rules (project_id, id) where merge_request_id is null;
create index approval_rules_of_merge_request on approval_rules (merge_request_id, id) where merge_request_id is not null;
create index approval_rules_of_source on approval_rules (source_rule_id) where source_rule_id is not null;

create table approval_rule_users (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  user_id bigint not null,
  primary key (rule_id, user_id)
);
create index approval_rule_users_of_user on approval_rule_users (user_id, rule_id);

create table approval_rule_groups (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  group_id bigint not null,
  primary key (rule_id, group_id)
);
create index approval_rule_groups_of_group on approval_rule_groups (group_id, rule_id);

-- Without rows, and without the flag, a rule holds for every branch.
create table approval_rule_branches (
  rule_id bigint not null references approval_rules (id) on delete cascade,
  protected_branch_id bigint not null references protected_branches (id) on delete cascade,
  primary key (rule_id, protected_branch_id)
);
create index approval_rule_branches_of_branch on approval_rule_branches (protected_branch_id, rule_id);
