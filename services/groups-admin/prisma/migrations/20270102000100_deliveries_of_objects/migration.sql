-- What was decided about one object of a project is read by it, however much the project has.
create index deliveries_object on deliveries (project_id, object_key, created_at, id) where project_id > 0;
