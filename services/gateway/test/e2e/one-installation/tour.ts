import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { System } from '../support/system';

const run = promisify(execFile);

/** The tour that `helm test` takes. */
export function tourTests(of: () => System): void {
  it('the tour: a merge request, a train, an issue, a package, and nothing is left', async () => {
    const { url, rootToken } = of();
    const env = { ...process.env, URL: url, TOKEN: rootToken };
    const { stdout } = await run(process.execPath, [resolve(__dirname, '../../../../../deploy/docker/tour.mjs')], {
      env,
    });
    const steps = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/: .*/, ''));
    expect(steps).toEqual([
      ...['readiness', 'groups', 'a project', 'a merge request', 'a merge train', 'an issue', 'a package'],
      'the project is deleted',
    ]);
    const { body } = await of().api('GET', '/projects?search=tour-');
    expect(body).toEqual([]);
  });
}
