import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageMilestones } from './application/manage-milestones';
import { milestoneStore } from './storage/milestone.store';
import { milestoneHandler } from './transport/milestone.handler';

/** Milestones of projects and groups. */
export function composeMilestones({ config, db, observe }: Edges, writer: DirectoryWriter): Area {
  const milestones = observe('milestones', manageMilestones({ milestones: milestoneStore(db, writer) }));
  return { services: [milestoneHandler(milestones, config.SWITCHYARD_EXTERNAL_URL)] };
}
