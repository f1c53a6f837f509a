-- Path of the README at the root of the default branch, as the last push of that branch said.
alter table projects add column readme_path text;
update projects set readme_path = 'README.md' where initialize_with_readme;
