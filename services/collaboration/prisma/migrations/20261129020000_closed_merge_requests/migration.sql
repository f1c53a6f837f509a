-- A merge request that was closed without being merged closes no issue any more. Of those closed before this column their owner tells anew
-- when it is asked to (`npm run admin -- rebuild-counts`).
alter table issue_merge_requests add column closed boolean not null default false;
