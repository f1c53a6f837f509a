import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import type { Protection } from '../protection';
import { npmPackages } from './application/npm-packages';
import { npmStore } from './storage/npm.store';
import { npmHttp } from './transport/npm.http';

/** Builds npm packages. */
export function composeNpm(
  { db, blobs, config, observe }: Edges,
  {
    contents,
    packages,
    protection: { requireUnprotected },
  }: { readonly contents: Contents; readonly packages: PackagesArea; readonly protection: Protection },
): Area {
  const npm = observe(
    'npm',
    npmPackages({
      db,
      store: npmStore(db),
      contents,
      packages,
      requireUnprotected,
      api: `${config.SWITCHYARD_EXTERNAL_URL}/api/v4`,
      limit: config.SWITCHYARD_NPM_PACKAGE_LIMIT,
    }),
  );
  return { http: npmHttp({ npm, packages, blobs, forwardUrl: config.SWITCHYARD_NPM_FORWARD_URL }) };
}
