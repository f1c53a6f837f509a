import { webAddress, wholeNumber } from '@switchyard/config';
import { outboundVariables } from '@switchyard/outbound';
import type { ServiceEdges } from '@switchyard/service';
import type { PrismaClient } from './generated/prisma/client';

const gibibyte = 1 << 30;

/** Bytes of the largest file of a format. */
const fileLimit = (byDefault: number) => wholeNumber(1_024, 1_024 * gibibyte).default(byDefault);

/** Variables of the service; those of every service and of its peers are added. See docs/operations.md. */
export const variables = {
  /** Bytes of the largest file of a generic package (G-8-10). */
  SWITCHYARD_GENERIC_PACKAGE_LIMIT: fileLimit(5 * gibibyte),
  /** Bytes of the largest file of a Maven repository. */
  SWITCHYARD_MAVEN_PACKAGE_LIMIT: fileLimit(3 * gibibyte),
  /** Bytes of the largest file of a Python package. */
  SWITCHYARD_PYPI_PACKAGE_LIMIT: fileLimit(3 * gibibyte),
  /** Bytes of the largest Helm chart. */
  SWITCHYARD_HELM_PACKAGE_LIMIT: fileLimit(5 << 20),
  /** Bytes of the largest tarball of an npm package (G-8-10). */
  SWITCHYARD_NPM_PACKAGE_LIMIT: wholeNumber(1_024, 16 * gibibyte).default(500 * (1 << 20)),
  /** Bytes of the largest file that a text links to. */
  SWITCHYARD_UPLOAD_LIMIT: fileLimit(100 * (1 << 20)),
  /** Registry to which npm is sent for names that are not here; none by default (G-4.17-14). */
  SWITCHYARD_NPM_FORWARD_URL: webAddress().optional(),
  ...outboundVariables,
};

/** What each area of the service is built from. */
export type Edges = ServiceEdges<
  typeof variables,
  'groups-admin' | 'imports-exports' | 'merge-requests',
  { directory: true; blobs: true; prisma: new (options: never) => PrismaClient }
>;
