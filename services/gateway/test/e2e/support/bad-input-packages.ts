import type { Post } from './bad-requests';
import { type Format, formats, type Publication, publicationOf, publisher } from './publications';
import type { System } from './system';

/**
 * Packages of every format, a Go module, and rules; settles with values of path parameters that name them.
 * @param gone an id of what is not there, for what would be deleted
 */
export async function setBadInputPackages(
  system: System,
  project: number,
  post: Post,
  gone: string,
): Promise<Record<string, string>> {
  const at = `/projects/${project}/packages`;
  const { publish } = publisher(system, project);
  for (let index = 0; index < 4; index += 1) {
    await publish(publicationOf('generic', `app${index}`, '1.0', `file ${index}`));
    await post(`${at}/protection/rules`, {
      package_name_pattern: `p${index}`,
      package_type: 'npm',
      minimum_access_level_for_push: 'maintainer',
    });
  }
  const published = Object.fromEntries(
    formats.map((format) => [format, publicationOf(format, 'app0', '1.0.0', 'text')]),
  ) as Record<Format, Publication>;
  for (const one of Object.values(published)) await publish(one);
  const { body: home } = await system.api('GET', `/projects/${project}`);
  const fullPath: string = home.path_with_namespace;
  // What the instance has is named after its top-level group, or is the path of its project.
  const scoped = `@${fullPath.split('/')[0]}/app0`;
  await publish(publicationOf('npm', scoped, '1.0.0', 'text'));
  const own = { ...published.maven, send: { ...published.maven.send, path: `maven/${fullPath}/1.0.0/app0-1.0.0.jar` } };
  await publish(own);
  await post(`/projects/${project}/repository/tags`, { tag_name: 'v1.0.0', ref: 'main' });
  const packageId: number = (await system.api('GET', at)).body[0].id;
  const packageFile: number = (await system.api('GET', `${at}/${packageId}/package_files`)).body[0].id;
  const rule: number = (await system.api('GET', `${at}/protection/rules`)).body[0].id;
  const form = new FormData();
  form.set('file', new Blob(['text']), 'notes.txt');
  const headers = { 'PRIVATE-TOKEN': system.rootToken };
  const uploads = `${system.url}/api/v4/projects/${project}/uploads`;
  let upload = { id: 0, url: '' };
  for (let index = 0; index < 4; index += 1) {
    const reply = await fetch(uploads, { method: 'POST', headers, body: form });
    upload = (await reply.json()) as typeof upload;
  }
  const one = '/projects/:id/packages/:package_id';
  const oneRule = '/projects/:id/packages/protection/rules/:package_protection_rule_id';
  return {
    package_id: String(packageId),
    [`DELETE ${one} package_id`]: gone,
    package_file_id: String(packageFile),
    [`DELETE ${one}/package_files/:package_file_id package_file_id`]: gone,
    package_protection_rule_id: String(rule),
    [`DELETE ${oneRule} package_protection_rule_id`]: gone,
    upload_id: String(upload.id),
    'DELETE /projects/:id/uploads/:upload_id upload_id': gone,
    secret: upload.url.split('/')[2] as string,
    'DELETE /projects/:id/uploads/:secret/:filename secret': '0'.repeat(32),
    filename: 'notes.txt',
    package_name: 'app0',
    package_version: '1.0.0',
    'GET /projects/:id/packages/generic/:package_name/:package_version/*file_path file_path': 'file',
    'PUT /projects/:id/packages/generic/:package_name/:package_version/*file_path file_path': 'file',
    path: published.maven.download.replace('maven/', ''),
    'GET /packages/maven/*path path': own.send.path.replace('maven/', ''),
    'GET /packages/npm/*package_name package_name': scoped,
    'GET /packages/npm/-/package/*package_name/dist-tags package_name': scoped,
    file_name: 'app0-1.0.0.tgz',
    channel: 'stable',
    module_name: `${new URL(system.url).hostname}/${fullPath}`,
    module_version: 'v1.0.0',
    revision: '1-x',
    tag: 'next',
    sha256: published.pypi.download.split('/')[2] as string,
    file_identifier: 'app0-1.0.0.tar.gz',
    'GET /projects/:id/packages/pypi/simple/*name name': 'app0',
    'GET /groups/:id/-/packages/pypi/simple/*name name': 'app0',
  };
}
