import { join } from 'node:path';
import { PackageServiceService } from '@switchyard/protos/packages/v1/package';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import type { ServiceImplementation } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';

/** Who asks, and their level on what the path names. */
export interface Asking {
  readonly is: Partial<Actor>;
  readonly level: number;
}

/** The service as package managers reach it: a private project in a public group, and those who ask for its packages. */
export interface PackageFormats {
  readonly here: TestInstallation;
  readonly group: number;
  readonly projectId: number;
  /** Of the project. */
  readonly fullPath: string;
  readonly member: Asking;
  readonly outsider: Asking;
  /** The member's job in another project. */
  readonly jobOfOther: Asking;
  /** Of the group. */
  readonly deployToken: Asking;
  /** A request to the packages of the project by its Developer. */
  project(
    method: string,
    path: string,
    given?: { body?: RequestInit['body']; headers?: Record<string, string> },
  ): Promise<Response>;
  /** A request to a group, or to the instance; anonymous without who asks. */
  ask(method: string, path: string, who: Asking | undefined, headers?: Record<string, string>): Promise<Response>;
  /** Names and versions of the packages of a format. */
  list(format: string): Promise<{ name: string; version: string | null }[]>;
  close(): Promise<void>;
}

/** Starts the service with limits of its own, and stand-ins for what it asks of other services. */
export async function packageFormats(
  environment: Record<string, string>,
  peers: () => readonly ServiceImplementation[] = () => [],
): Promise<PackageFormats> {
  const here = await testInstallation({ service, main: join(__dirname, '..', '..', 'dist', 'main.js'), peers });
  await here.stop();
  await here.start(environment);
  const user = here.directory.user();
  const stranger = here.directory.user();
  const { id: group, fullPath: groupPath } = here.directory.namespace({ visibility: 'public' });
  const { id: projectId, path } = here.directory.project(group);
  here.directory.member(user.id, { projectId }, 30);
  const packages = here.client(PackageServiceService);
  const list = async (packageType: string) => {
    const filter = { packageType, packageName: '', packageVersion: undefined, includeVersionless: true, status: '' };
    const options = here.as({ id: user.id }, { id: projectId, level: 30 });
    const found = await packages.listProjectPackages({ projectId, filter, page: undefined }, options);
    return (json(found) as { name: string; version: string | null }[]).map(({ name, version }) => ({ name, version }));
  };
  // A replica that is behind answers 503 at first (D5).
  await eventually(() => list('maven'));
  return {
    here,
    group,
    projectId,
    fullPath: `${groupPath}/${path}`,
    member: { is: { userId: user.id }, level: 0 },
    outsider: { is: { userId: stranger.id }, level: 0 },
    jobOfOther: { is: { userId: user.id, job: { projectId: projectId + 1_000, pipelineId: 1 } }, level: 0 },
    deployToken: { is: { deployTokenId: 5, external: true, scopes: ['read_package_registry'] }, level: 20 },
    project: (method, path, given = {}) =>
      here.forward(method, `/projects/${projectId}/packages/${path}`, { project: projectId, user: user.id, ...given }),
    ask: (method, path, who = { is: {}, level: 0 }, headers = {}) =>
      here.forward(method, path, { ...(path.startsWith('/groups/') ? { group } : {}), actor: who, headers }),
    list,
    close: () => here.close(),
  };
}
