-- additive
-- Projects whose uploads were not measured with their packages yet.
insert into package_measurements (project_id, measure_at) select distinct project_id, now() from uploads
on conflict (project_id) do update set measure_at = excluded.measure_at;
