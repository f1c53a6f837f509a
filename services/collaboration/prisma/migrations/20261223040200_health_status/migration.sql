-- How an issue stands: as its people say, in the tier `ultimate`.
alter table issues add column health_status text check (health_status in ('on_track', 'needs_attention', 'at_risk'));
