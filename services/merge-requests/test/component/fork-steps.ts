import { sql } from '@switchyard/database/sql';
import { type Harness, type Person, people, type TestProject } from './repository-harness';

/** Who owns the forks of these tests: no member of the projects they are forked from. */
export const forker = people.outsider;

/** Puts two projects into one network of forks, the second forked from the first. */
export async function relate(harness: Pick<Harness, 'db'>, source: TestProject, fork: TestProject): Promise<void> {
  await harness.db.query(sql`
    update directory.projects set fork_network_id = ${source.id},
      forked_from_project_id = case when id = ${fork.id} then ${source.id}::bigint end
    where id in (${source.id}, ${fork.id})`);
}

/**
 * A fork of a project with its branches and tags, made by an outsider who is Maintainer of it; `levels` names its other
 * members.
 */
export async function forkOf(
  harness: Harness,
  source: TestProject,
  given: Partial<TestProject> = {},
  by: Person = forker,
): Promise<TestProject> {
  const fork = await harness.project({
    visibility: 'public',
    levels: { [by.id]: 40 },
    origin: { id: source.id },
    ...given,
  });
  await relate(harness, source, fork);
  return { ...fork, path: `apart${fork.id}/project${fork.id}` };
}
