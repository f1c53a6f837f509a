import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageLabels } from './application/manage-labels';
import { labelStore } from './storage/label.store';
import { labelHandler } from './transport/label.handler';

/** Labels of projects and groups. */
export const composeLabels = ({ db, observe }: Edges, writer: DirectoryWriter): Area => ({
  services: [labelHandler(observe('labels', manageLabels({ labels: labelStore(db, writer) })))],
});
