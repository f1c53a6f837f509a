-- Whether an event has told other services of it: those from before there were such events are told of by the sweep.
alter table environments add column announced boolean not null default false;
create index environments_to_announce on environments (id) where not announced;
