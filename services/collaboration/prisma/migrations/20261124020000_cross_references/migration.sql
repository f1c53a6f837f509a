-- Which merge request has a number, so that a text that names it by that finds it without asking its owner.
create table merge_request_numbers (
  project_id bigint not null,
  iid bigint not null,
  id bigint not null,
  primary key (project_id, iid)
);

-- Notes that another object caused: who reads them is asked of that object.
create index notes_caused_elsewhere on notes (noteable_id) where source_kind is not null;
