import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { manageCharts } from './application/manage-charts';
import { helmStore } from './storage/helm.store';
import { helmHttp } from './transport/helm.http';

/** Builds repositories of Helm charts. */
export const composeHelm = (
  { db, blobs, config }: Edges,
  edges: { readonly packages: PackagesArea; readonly contents: Contents },
): Area => ({
  http: helmHttp({
    charts: manageCharts({ ...edges, store: helmStore(db) }),
    blobs,
    limit: config.SWITCHYARD_HELM_PACKAGE_LIMIT,
    root: new URL(config.SWITCHYARD_EXTERNAL_URL).pathname.replace(/\/$/, ''),
  }),
});
