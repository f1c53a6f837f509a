-- Incidents that were moved to another project, which may go before the alert's own: few, and looked for by the purge.
create index alerts_by_moved_incident on alerts (issue_project_id) where issue_project_id <> project_id;
