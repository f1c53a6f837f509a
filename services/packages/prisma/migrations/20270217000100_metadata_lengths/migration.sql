-- additive
-- Bytes of what is kept of a version of an npm package; null where the next publication of its name counts them, as after
-- a change. Versions before this one do not count what they change: the text of a deprecation.
alter table packages add column metadata_length int;
