-- additive
-- Requests that came with an Idempotency-Key, and their answers (ADR 50). An attempt names one way of a request through a
-- gateway; what still runs after `running_until` has no known outcome.
create table idempotency_keys (
  id bigint generated always as identity primary key,
  caller text not null,
  key text not null check (char_length(key) <= 255),
  fingerprint bytea not null,
  attempt uuid not null unique,
  state text not null default 'running' check (state in ('running', 'answered', 'unknown')),
  running_until timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  answer bytea,
  unique (caller, key)
);
create index idempotency_keys_expired on idempotency_keys (expires_at);
create index idempotency_keys_of_caller on idempotency_keys (caller, expires_at);
