-- Whose work it is, so that the work of one project leaves room for that of others; empty when its subject is gone.
alter table jobs add column project_id bigint;
-- Jobs in hand: few, whatever the length of the queue.
create index jobs_in_hand on jobs (project_id) where leased_until is not null;
