export * from './database';
export * from './errors';
export * from './migrate';
export * from './paging';
export * from './prisma';
export { retrying } from './retrying';
export { empty, join, named, plannedEachTime, raw, Sql, sql } from './sql';
export { countStatements, onStatement, type Statement, statementsSoFar, uncounted } from './statements';
export * from './unmodified';
