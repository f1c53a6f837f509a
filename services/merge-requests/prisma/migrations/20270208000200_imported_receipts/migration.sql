-- additive
-- Receipts that came in an archive of a project: what another installation says of a landing there. No car of this one
-- landed then, and nobody here verifies them.
alter table landing_receipts alter column car_id drop not null, add column imported boolean not null default false;
create unique index landing_receipts_imported on landing_receipts (project_id, merge_request_iid, landed_sha) where imported;
