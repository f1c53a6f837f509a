import type { z } from '@switchyard/config';
import { type Database, readRecords } from '@switchyard/database';
import type { Sql } from '@switchyard/database/sql';
import { type ImportRights, UnknownPeople } from '@switchyard/directory';
import { invalidParams, unprocessable } from '@switchyard/errors';
import { ProjectRecordServiceService } from '@switchyard/protos/rpc/v1/project_record';
import { implement } from '@switchyard/rpc';
import type { Area } from './area';

/** What is marked as `imported_from` where it came in an archive. */
export const archiveSource = 'gitlab_project';

/** Records of one page. */
const maxRecords = 100;

/** What became of records. */
export interface WrittenRecords {
  /** How many of them the project has then. */
  readonly written: number;
  /** Those of which nothing was added, as far as people are to know of it. */
  readonly leftOut: readonly { readonly item: string; readonly reason: string }[];
}

/** Records that have the form of their kind. Both may be done again. */
export interface CheckedRecords {
  /** Adds them. */
  write(target: ImportRights): Promise<WrittenRecords>;
  /** Keeps their numbers for them: what is made in the project meanwhile gets higher ones. */
  reserve(projectId: number): Promise<void>;
}

/** Takes the records of a kind, in two steps: what is wrong with them shows before anything is written. */
export interface RecordWriter {
  /**
   * Reads lines of JSON.
   * @throws AppError unprocessable for what is no record of the kind
   */
  read(kind: string, lines: Uint8Array): CheckedRecords;
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/**
 * A writer of records of one form; fields that the form does not know are passed over.
 * @param write may be repeated; returns how many of them the project has then
 * @param reserve as of `CheckedRecords`, of a kind whose records have numbers that others of the project may take
 */
export const recordWriter = <T>(
  form: z.ZodType<T>,
  write: (target: ImportRights, records: readonly T[]) => Promise<number | WrittenRecords>,
  reserve: (projectId: number, records: readonly T[]) => Promise<void> = async () => undefined,
): RecordWriter => ({
  read(kind, lines) {
    // Each line ends with a line feed. No more are cut apart than show that there are too many.
    const given = Buffer.from(lines)
      .toString()
      .split('\n', maxRecords + 2);
    if (given.pop() !== '' || given.length > maxRecords) throw unprocessable(`${kind}: the records are not whole`);
    const records = given.map((line, at) => {
      const { success, data, error } = form.safeParse(parsed(line));
      if (success) return data;
      const [{ path = [], message = '' } = {}] = error.issues;
      throw unprocessable(`${kind}: record ${at + 1} of a page is wrong: ${[...path, message].join(': ')}`);
    });
    return {
      async write(target) {
        const done = records.length === 0 ? 0 : await write(target, records);
        return typeof done === 'number' ? { written: done, leftOut: [] } : done;
      },
      reserve: (projectId) => reserve(projectId, records),
    };
  },
});

/**
 * Serves the kinds of records that a service owns of a project, for its export and import (ADR 60, ADR 69).
 * @param kinds a select of `id` and `record`, by kind and for a project
 * @param writers what takes the same kinds
 */
export function projectRecords(
  db: Database,
  kinds: Readonly<Record<string, (projectId: number) => Sql | Promise<Sql>>>,
  writers: Readonly<Record<string, RecordWriter>>,
): Area {
  const ofKind = <T>(table: Readonly<Record<string, T>>, kind: string): T => {
    const found = Object.hasOwn(table, kind) ? table[kind] : undefined;
    if (found === undefined) throw invalidParams('kind does not have a valid value');
    return found;
  };
  const rule = { callers: ['imports-exports'] };
  const services = [
    implement(
      ProjectRecordServiceService,
      {
        readProjectRecords: async ({ projectId, kind, after }) =>
          readRecords(db, await ofKind(kinds, kind)(projectId), after),
        async writeProjectRecords({ kind, lines, checkOnly, standIns: given, ...target }) {
          const records = ofKind(writers, kind).read(kind, lines);
          if (checkOnly) {
            if (target.projectId > 0) await records.reserve(target.projectId);
            return { written: 0, unknown: [], leftOut: [] };
          }
          const standIns = given && {
            users: new Map(given.people.map(({ username, userId }) => [username, userId])),
            areAll: given.areAll,
          };
          try {
            const { written, leftOut } = await records.write({ ...target, standIns });
            return { written, unknown: [], leftOut: [...leftOut] };
          } catch (error) {
            if (!(error instanceof UnknownPeople)) throw error;
            return { written: 0, unknown: [...error.usernames], leftOut: [] };
          }
        },
      },
      { readProjectRecords: rule, writeProjectRecords: rule },
    ),
  ];
  return { services };
}
