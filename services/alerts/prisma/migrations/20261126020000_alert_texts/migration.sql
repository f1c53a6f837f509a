-- What searches look into, apart from the alert: counting a message writes a new version of the alert's row, and would write each
-- trigram of these texts again, at four times the cost of all else.
create table alert_texts (
  alert_id bigint primary key references alerts (id) on delete cascade,
  text text not null
);
insert into alert_texts (alert_id, text)
select id, title || E'\n' || coalesce(service, '') || E'\n' || coalesce(monitoring_tool, '') from alerts;
drop index if exists alerts_trigrams;

-- The extension is optional: without it searches read the project's rows.
do $$
begin
  create extension if not exists pg_trgm with schema public;
  create index alert_texts_trigrams on alert_texts using gin (text public.gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise notice 'pg_trgm is not available: searches in alerts have no index';
end
$$;
