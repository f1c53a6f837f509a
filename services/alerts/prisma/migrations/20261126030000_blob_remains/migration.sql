-- Blobs that no image names: one that is being uploaded, or whose image has gone. Taken away once they are due.
create table blob_remains (
  blob text primary key,
  due_at timestamptz(3) not null
);
create index blob_remains_by_due_at on blob_remains (due_at);

-- Also where images go with their alert: whoever deletes need not know of files.
create function leave_blob_of_metric_image() returns trigger language plpgsql as $$
begin
  insert into blob_remains (blob, due_at) select blob, now() from gone on conflict (blob) do nothing;
  return null;
end
$$;
create trigger metric_images_leave_blobs after delete on metric_images
  referencing old table as gone for each statement execute function leave_blob_of_metric_image();
