-- E-mails in addition to the primary one, and primary ones that wait for their confirmation.
create table emails (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  email text not null,
  -- Its confirmation makes it the primary e-mail, and removes the row.
  becomes_primary boolean not null default false,
  confirmed_at timestamptz(3),
  -- When the link was requested that is good; null: none was.
  confirmation_sent_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint emails_waiting check (not becomes_primary or confirmed_at is null)
);
-- An address that is not confirmed belongs to no user, so several may wait for it.
create unique index emails_confirmed on emails (lower(email)) where confirmed_at is not null;
create unique index emails_of_user on emails (user_id, lower(email));
create unique index emails_becoming_primary on emails (user_id) where becomes_primary;
create index emails_user on emails (user_id, id);
