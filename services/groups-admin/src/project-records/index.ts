import { projectRecords, type RecordWriter } from '@switchyard/service';
import type { AvatarArea } from '../avatars';
import type { Edges } from '../edges';
import { recordsOf } from './records';

/** Builds what this service gives to the exports of projects, and takes of their archives. */
export const composeProjectRecords = (
  { db }: Pick<Edges, 'db'>,
  { ofProject }: Pick<AvatarArea, 'ofProject'>,
  writers: Readonly<
    Record<'project' | 'project_overrides' | 'members' | 'collaborators' | 'labels' | 'milestones', RecordWriter>
  >,
) => projectRecords(db, recordsOf(ofProject), writers);
