-- What of a train its cars' expected times were last forecast from, and when: one process at a time makes a forecast.
alter table merge_trains
  add column forecast_version bigint,
  add column forecast_at timestamptz(3);
