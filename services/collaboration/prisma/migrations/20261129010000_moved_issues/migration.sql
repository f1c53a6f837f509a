-- Which issues one stands for since they were moved.
create index issues_moved_to on issues (moved_to_id) where moved_to_id is not null;
