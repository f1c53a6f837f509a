import { segment } from './hostile-values';
import type { RawRequest } from './raw-client';

/** Every request on a repository, `at` its project's path, that takes a text for a ref or the path of a file. */
export function oddRefRequests(at: string, ref: string, next: () => number): RawRequest[] {
  const name = segment(ref);
  const reads = [
    `repository/commits?ref_name=${name}`,
    `repository/commits?path=${name}`,
    `repository/tree?ref=${name}`,
    `repository/tree?path=${name}`,
    `repository/compare?from=${name}&to=main`,
    `repository/compare?from=main&to=${name}`,
    `repository/merge_base?refs[]=main&refs[]=${name}`,
    `repository/contributors?ref=${name}`,
    `repository/files/README.md?ref=${name}`,
    `repository/files/README.md/raw?ref=${name}`,
    `repository/branches?search=${name}`,
    `repository/branches?regex=${name}`,
    `repository/tags?search=${name}`,
    `pipelines?ref=${name}`,
    `pipelines/latest?ref=${name}`,
    ...(ref === '' || ref.length > 2_000
      ? []
      : [
          `repository/files/${name}?ref=main`,
          `repository/files/${name}/raw?ref=main`,
          `repository/branches/${name}`,
          `repository/tags/${name}`,
          `repository/commits/${name}`,
          `repository/commits/${name}/diff`,
          `repository/commits/${name}/refs`,
          `repository/blobs/${name}`,
          `repository/blobs/${name}/raw`,
          `protected_branches/${name}`,
        ]),
  ].map((path) => ({ method: 'GET', path: `${at}/${path}` }));
  const write = (path: string, body: unknown): RawRequest => ({
    method: 'POST',
    path: `${at}/${path}`,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return [
    ...reads,
    write('repository/branches', { branch: `from-${next()}`, ref }),
    write('repository/tags', { tag_name: `from-${next()}`, ref }),
    write('pipeline', { ref }),
    write('merge_requests', { source_branch: ref, target_branch: 'main', title: 'odd' }),
    write('repository/commits', {
      branch: `c-${next()}`,
      start_branch: 'main',
      commit_message: 'odd',
      actions: [{ action: 'create', file_path: ref, content: 'x' }],
    }),
  ];
}
