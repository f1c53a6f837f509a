-- SSH keys of users, and deploy keys, which projects share. Not part of the directory.

create table ssh_keys (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('user', 'deploy')),
  -- Whose key it is; null for a deploy key.
  user_id bigint references users on delete cascade,
  -- Who added it; may be gone.
  creator_id bigint,
  title text not null,
  -- Type and key material, without options and comment.
  key text not null,
  -- 16 bytes in hexadecimal, joined by colons.
  fingerprint_md5 text not null,
  -- Base64 without padding and without its prefix.
  fingerprint_sha256 text not null,
  usage_type text not null default 'auth_and_signing' check (usage_type in ('auth', 'signing', 'auth_and_signing')),
  -- A deploy key that every project may enable.
  public boolean not null default false,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((kind = 'user') = (user_id is not null)),
  check (kind = 'deploy' or not public)
);
create unique index ssh_keys_sha256 on ssh_keys (fingerprint_sha256);
create index ssh_keys_md5 on ssh_keys (fingerprint_md5);
create index ssh_keys_user on ssh_keys (user_id, id) where user_id is not null;
create index ssh_keys_deploy on ssh_keys (id) where kind = 'deploy';

create table deploy_key_projects (
  id bigint generated always as identity primary key,
  deploy_key_id bigint not null references ssh_keys on delete cascade,
  project_id bigint not null references projects on delete cascade,
  can_push boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index deploy_key_projects_pair on deploy_key_projects (project_id, deploy_key_id);
create index deploy_key_projects_key on deploy_key_projects (deploy_key_id, id);
