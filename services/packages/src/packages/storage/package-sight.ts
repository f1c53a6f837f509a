import { type Sql, sql } from '@switchyard/database/sql';
import { everybodysPackages, packageRule, visibleProjects } from '@switchyard/directory';
import type { PackageSearcher } from '../domain/package-place';

/** A project `p` whose packages someone may read. */
export const maySee = ({ viewer, jobProjectId }: PackageSearcher): Sql =>
  jobProjectId === undefined
    ? visibleProjects(viewer, packageRule)
    : sql`${visibleProjects(viewer, packageRule)} and (${everybodysPackages} or p.id = ${jobProjectId})`;
