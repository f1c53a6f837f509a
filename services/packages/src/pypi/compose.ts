import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { managePypiFiles } from './application/manage-pypi-files';
import { pypiHttp } from './transport/pypi.http';

/** Builds indexes of Python packages. */
export const composePypi = (
  { blobs, config }: Edges,
  edges: { readonly packages: PackagesArea; readonly contents: Contents },
): Area => ({
  http: pypiHttp({
    files: managePypiFiles(edges),
    blobs,
    limit: config.SWITCHYARD_PYPI_PACKAGE_LIMIT,
    // Links without a host lead to the address by which the client came, for which it has credentials.
    root: new URL(config.SWITCHYARD_EXTERNAL_URL).pathname.replace(/\/$/, ''),
  }),
});
