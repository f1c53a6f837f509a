import { type Sql, sql } from '@switchyard/database/sql';

/** Seconds in which ref changes of one project gather before its repositories are measured. */
const delaySeconds = 5;

/** When a project is measured whose refs have moved; an expression over its row of `repositories`. */
export const measuredSoon: Sql = sql`least(measure_at, now() + make_interval(secs => ${delaySeconds}::double precision))`;
