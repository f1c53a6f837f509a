-- The alert whose incident an issue is: an alert has one, however often its events come.
alter table issues add column alert_id bigint;
create unique index issues_of_alert on issues (alert_id);

-- How far the events of an alert were followed; its row is the lock of what follows from them.
create table followed_alerts (
  alert_id bigint primary key,
  project_id bigint not null,
  -- The newest version told, and the status it had.
  version bigint not null,
  status text not null,
  -- Version of the alert whose event opened its newest incident: that event opens no other one after the incident was deleted.
  incident_version bigint not null default 0
);
create index on followed_alerts (project_id);
