-- Hold all that counts ask of epics and of their issues, so that these are counted in the indexes alone: rows of both are
-- wide, and 10,001 epics of a group took 66 ms where the index takes 5, the progress over 10,000 issues three times as long.
drop index epics_by_id;
create index epics_counted on epics (group_id, id) include (confidential, state);
create index issues_counted on issues (id) include (project_id, state, weight, confidential, author_id);
