-- additive
-- Pages of the list of a stage, where the forge says how many there are.
alter table import_stages add column pages int;
