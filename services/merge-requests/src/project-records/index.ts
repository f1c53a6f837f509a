import { projectRecords, type RecordWriter } from '@switchyard/service';
import type { Edges } from '../edges';
import { records } from './records';

/** Builds what this service gives to the exports of projects, and takes of their archives. */
export const composeProjectRecords = (
  { db }: Pick<Edges, 'db'>,
  writers: Readonly<
    Record<
      | 'merge_requests'
      | 'merge_request_events'
      | 'merge_request_blocks'
      | 'landing_receipts'
      | 'releases'
      | 'protected_branches'
      | 'protected_tags'
      | 'approval_rules'
      | 'environments'
      | 'deployments',
      RecordWriter
    >
  >,
) => projectRecords(db, records, writers);
