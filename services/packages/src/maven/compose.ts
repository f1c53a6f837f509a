import type { Area } from '@switchyard/service';
import type { Contents } from '../contents';
import type { Edges } from '../edges';
import type { PackagesArea } from '../packages';
import { manageMavenFiles } from './application/manage-maven-files';
import { mavenHttp } from './transport/maven.http';

/** Builds Maven repositories. */
export const composeMaven = (
  { blobs, config }: Edges,
  edges: { readonly packages: PackagesArea; readonly contents: Contents },
): Area => ({
  http: mavenHttp({ files: manageMavenFiles(edges), blobs, limit: config.SWITCHYARD_MAVEN_PACKAGE_LIMIT }),
});
