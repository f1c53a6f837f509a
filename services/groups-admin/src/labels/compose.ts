import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { manageLabels } from './application/manage-labels';
import { labelStore } from './storage/label.store';
import { labelHandler } from './transport/label.handler';
import { labelRecord, toImported } from './transport/label.record';

/** Labels, and what takes those of an archive. */
export interface LabelArea extends Area {
  readonly records: RecordWriter;
}

/** Labels of projects and groups. */
export function composeLabels({ db, observe }: Edges, writer: DirectoryWriter): LabelArea {
  const labels = observe('labels', manageLabels({ labels: labelStore(db, writer) }));
  return {
    services: [labelHandler(labels)],
    records: recordWriter(labelRecord, ({ projectId }, given) => labels.import(projectId, given.map(toImported))),
  };
}
