import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { followReferences } from './application/follow-references';
import { crossReferenceStore } from './storage/cross-reference.store';
import { crossReferenceSubscriptions } from './transport/cross-reference.subscription';

/**
 * Consumer group of cross-references: separate from the other groups of these events, so that neither waits for the
 * other.
 */
const crossReferenceGroup = 'collaboration.references';

/** Builds the system notes on what issues, merge requests and notes mention. */
export function composeCrossReferences({
  config,
  directory,
  observe,
}: Pick<Edges, 'config' | 'directory' | 'observe'>): Area {
  const useCases = observe('collaboration', {
    followReferences: followReferences({ store: crossReferenceStore, externalUrl: config.SWITCHYARD_EXTERNAL_URL }),
  });
  return {
    consumers: [
      {
        group: crossReferenceGroup,
        subscriptions: crossReferenceSubscriptions({
          ...crossReferenceStore,
          follow: useCases.followReferences,
          directory,
        }),
      },
    ],
  };
}
