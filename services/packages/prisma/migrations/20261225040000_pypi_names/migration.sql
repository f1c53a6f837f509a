-- Python names are the same however they are spelled (PEP 503), and a project has each version of one once.
create unique index packages_of_pypi on packages
  (project_id, lower(regexp_replace(name, '[-_.]+', '-', 'g')), coalesce(version, ''))
  where format = 'pypi' and status <> 'pending_destruction';
create index packages_of_pypi_name on packages (lower(regexp_replace(name, '[-_.]+', '-', 'g')))
  where format = 'pypi';
