import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { managePypiFiles } from './application/manage-pypi-files';
import { pypiHandler } from './transport/pypi.handler';
import { pypiHttp } from './transport/pypi.http';

/** Builds indexes of Python packages. */
export function composePypi(
  { blobs, config, observe }: Edges,
  edges: { readonly packages: PackagesArea; readonly contents: Contents },
): Area {
  const files = observe('pypi', managePypiFiles(edges));
  return {
    services: [pypiHandler(files)],
    http: pypiHttp({
      files,
      packages: edges.packages,
      blobs,
      limit: config.SWITCHYARD_PYPI_PACKAGE_LIMIT,
      // Links without a host lead to the address by which the client came, for which it has credentials.
      root: new URL(config.SWITCHYARD_EXTERNAL_URL).pathname.replace(/\/$/, ''),
    }),
  };
}
