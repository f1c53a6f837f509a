-- no transaction
-- additive
create unique index concurrently landing_receipts_imported on landing_receipts (project_id, merge_request_iid, landed_sha) where imported;
