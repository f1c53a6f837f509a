-- A small installation never changes the 50 rows that autovacuum waits for, and lists are planned with the statistics of an empty
-- directory. A rebuild sets the same on its fresh tables (replica.ts).
alter table users set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
alter table namespaces set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
alter table projects set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
alter table memberships set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
alter table labels set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
alter table milestones set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
alter table instance set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);
