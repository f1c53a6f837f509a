import { anyContains, type ClauseTable, clausesOf } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { linkedLabels, userColumn } from '@switchyard/directory';
import { reactedWith } from '../../issues';
import type { EpicExclusion, EpicFilter } from '../domain/epic-query';

const author = userColumn(sql`e.author_id`);
const labels = linkedLabels({ table: sql`epic_labels`, own: sql`link.epic_id = e.id` });

const clauses: ClauseTable<EpicFilter, number> = {
  state: (state) => sql`e.state = ${state}`,
  author: author.allOf,
  labels: labels.allOf,
  search: ({ words, title, description }) => {
    const columns = [...(title ? [sql`e.title`] : []), ...(description ? [sql`e.description`] : [])];
    return words.map((word) => anyContains(columns, word));
  },
  confidential: (confidential) => sql`e.confidential = ${confidential}`,
  reaction: (match, viewerId) => reactedWith('Epic', sql`e.id`, match, viewerId),
  createdAfter: (date) => sql`e.created_at >= ${date}`,
  createdBefore: (date) => sql`e.created_at <= ${date}`,
  updatedAfter: (date) => sql`e.updated_at >= ${date}`,
  updatedBefore: (date) => sql`e.updated_at <= ${date}`,
  not: (not, viewerId) => clausesOf(exclusions, not, viewerId),
};

const none = (condition: Sql): Sql => sql`(${condition}) is not true`;

// Excluding "all of these labels" would let one of them through: here each title excludes by itself.
const exclusions: ClauseTable<EpicExclusion, number> = {
  labels: (match) => none(labels.oneOf(match)),
  author: (match) => none(author.oneOf(match)),
};

/** Conditions of a filter on the aliases of `epicFrom`; all must hold. */
export const epicConditions = (filter: EpicFilter, viewerId: number): Sql[] => clausesOf(clauses, filter, viewerId);
