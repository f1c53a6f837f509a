import { projectRecords } from '@switchyard/service';
import type { Edges } from '../edges';
import { records } from './records';

/** Builds what this service gives to the exports of projects. */
export const composeProjectRecords = ({ db }: Pick<Edges, 'db'>) => projectRecords(db, records);
