import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { genericHttp } from './transport/generic.http';

/** Builds generic packages: plain files by name and version. */
export const composeGeneric = ({ blobs, config }: Edges, { packages }: { readonly packages: PackagesArea }): Area => ({
  http: genericHttp({ packages, blobs, limit: config.SWITCHYARD_GENERIC_PACKAGE_LIMIT }),
});
