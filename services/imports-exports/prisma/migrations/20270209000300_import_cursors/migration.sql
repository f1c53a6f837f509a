-- additive
-- Where a list goes on in the forge's own words, of one that takes no page numbers; empty for others.
alter table import_stages add column cursor text not null default '';
