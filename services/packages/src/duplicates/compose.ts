import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { manageDuplicates, type RefuseDuplicate, refuseDuplicate } from './application/manage-duplicates';
import { duplicatesStore } from './storage/duplicates.store';
import { packageSettingsHandler } from './transport/package-settings.handler';

/** What packages use of what groups say of duplicates. */
export interface DuplicatesArea extends Area {
  readonly refuseDuplicate: RefuseDuplicate;
}

/** Builds what groups say of files that are published again. */
export function composeDuplicates({ db, observe }: Pick<Edges, 'db' | 'observe'>): DuplicatesArea {
  const store = duplicatesStore(db);
  return {
    refuseDuplicate: refuseDuplicate(store),
    services: [packageSettingsHandler(observe('packages', manageDuplicates(db, store)))],
  };
}
