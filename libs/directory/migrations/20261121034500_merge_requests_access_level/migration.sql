-- Rows of before this column say so when their project changes next, or at a rebuild.
alter table projects add column merge_requests_access_level text not null default 'enabled';
