import { PackageEvent } from '@switchyard/protos/packages/events/v1/package_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Changes of packages, in order per package (see the proto for the facts and the ids of events). */
export const packageEvents = defineEvent({
  stream: 'packages.package',
  version: 1,
  type: 'package.changed',
  message: PackageEvent,
  key: (event) => String(event.package?.id ?? 0),
});

/** Id of an event of `packageEvents`. */
export const packageEventId = factEventId<PackageEvent>('package');
