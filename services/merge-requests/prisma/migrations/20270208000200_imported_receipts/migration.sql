-- additive
-- Receipts that came in an archive of a project: what another installation says of a landing there. No car of this one
-- landed then, and nobody here verifies them.
alter table landing_receipts alter column car_id drop not null, add column imported boolean not null default false;
