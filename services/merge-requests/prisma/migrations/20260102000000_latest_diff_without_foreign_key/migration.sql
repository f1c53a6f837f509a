-- Deleting a diff version would look for it in every merge request, one by one. Versions go with their merge request only, which is
-- gone by then, so there is nothing for a foreign key to hold.
alter table merge_requests drop constraint merge_requests_latest_diff;
