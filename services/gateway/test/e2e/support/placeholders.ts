import type { System } from './system';

/** Makes placeholders of a project, as an import that has ended leaves them; settles with the id of the last one. */
export async function makePlaceholders(system: System, project: number, count: number): Promise<number> {
  const made = await system.query(
    'imports_exports',
    `with import as (
       insert into project_imports (key, project_id, author_id, author_admin, author_external, request_id, forge, host, repository,
         namespace, name, page_size, optimistic, status, announced)
       values (gen_random_uuid(), ${project}, 1, true, false, 'test', 'github', '', '{}', 'root', 'imported', 100, false,
         'finished', 'finished') returning id)
     insert into import_placeholders (import_id, user_id, foreign_id, login, name)
     select id, 1, n::text, 'login' || n, '' from import, generate_series(1, ${count}) n returning id`,
  );
  return Number(made.at(-1)?.id);
}
