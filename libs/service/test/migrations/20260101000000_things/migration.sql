create table things (id bigint primary key);
