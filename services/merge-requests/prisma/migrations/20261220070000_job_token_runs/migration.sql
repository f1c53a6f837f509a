-- The run for which job tokens are issued: a finished or retried pipeline begins another one.
alter table pipelines add column job_token_run integer not null default 0;
-- A job token was issued for this run, so its end is published.
alter table pipelines add column job_tokens_issued boolean not null default false;
