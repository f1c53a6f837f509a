import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageMilestones } from './application/manage-milestones';
import { milestoneStore } from './storage/milestone.store';
import { milestoneHandler } from './transport/milestone.handler';
import { milestoneRecord, toImported } from './transport/milestone.record';

/** Milestones, and what takes those of an archive. */
export interface MilestoneArea extends Area {
  readonly records: RecordWriter;
}

/** Milestones of projects and groups. */
export function composeMilestones({ config, db, observe }: Edges, writer: DirectoryWriter): MilestoneArea {
  const milestones = observe('milestones', manageMilestones({ milestones: milestoneStore(db, writer) }));
  return {
    services: [milestoneHandler(milestones, config.SWITCHYARD_EXTERNAL_URL)],
    records: recordWriter(
      milestoneRecord,
      ({ projectId }, given) => milestones.import(projectId, given.map(toImported)),
      milestones.reserve,
    ),
  };
}
