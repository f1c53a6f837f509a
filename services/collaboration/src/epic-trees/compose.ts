import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { keepEpicDates } from './application/keep-epic-dates';
import { epicDateStore } from './storage/epic-dates.store';

/** Builds what epics are made of, and the dates that follow from it. */
export const composeEpicTrees = ({ db, directory }: Pick<Edges, 'db' | 'directory'>): Area => ({
  services: [],
  start: () => [keepEpicDates(epicDateStore(db), directory)],
});
