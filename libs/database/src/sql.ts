export { empty, join, named, plannedEachTime, raw, Sql, sql } from './statement';
