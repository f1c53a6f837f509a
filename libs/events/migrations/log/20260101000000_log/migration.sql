-- The row of a partition is locked from the allocation of an offset to the commit of its record, so records become
-- visible in the order of their offsets and a reader that has seen offset n misses none below it.
create table log.partitions (
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  constraint partitions_pkey primary key (topic, partition)
);

create table log.records (
  topic text not null,
  partition integer not null,
  "offset" bigint not null,
  key text not null,
  headers json not null,
  body text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint records_pkey primary key (topic, partition, "offset")
);

create index records_created on log.records (created_at);

create table log.group_offsets (
  consumer_group text not null,
  topic text not null,
  partition integer not null,
  next_offset bigint not null,
  constraint group_offsets_pkey primary key (consumer_group, topic, partition)
);
