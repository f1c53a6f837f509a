-- Values are stored encrypted (D7): `sealed` in place of `value`. Values that an earlier release stored are encrypted by
-- `rotate-secrets`; the column `value` goes one release later.
alter table pipeline_variables
  add column sealed bytea,
  alter column value drop not null,
  add constraint pipeline_variables_one_value check (num_nonnulls(value, sealed) = 1);
