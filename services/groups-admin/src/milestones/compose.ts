import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageMilestones } from './application/manage-milestones';
import { milestoneStore } from './storage/milestone.store';
import { milestoneHandler } from './transport/milestone.handler';

/** Milestones of projects and groups. */
export function composeMilestones({ config, db, observe }: Edges, { transaction }: DirectoryWriter): Area {
  const milestones = observe('milestones', manageMilestones({ transaction, milestones: milestoneStore(db) }));
  return { services: [milestoneHandler(milestones, config.SWITCHYARD_EXTERNAL_URL)] };
}
