import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '../catalogue.mjs';

jest.mock('@switchyard/config', () => ({
  ...jest.requireActual('@switchyard/config'),
  parseEnvironment: (shape: object) => shape,
}));

/** Names of the variables that a service reads. */
async function readBy(name: string): Promise<string[]> {
  const source = join(__dirname, '../../services', name, 'src');
  if (existsSync(join(source, 'service.ts'))) return [...(await import(join(source, 'service'))).service.variables];
  return Object.keys((await import(join(source, 'config'))).readConfig());
}

describe('the `switchyard` key of package.json', () => {
  it.each(SERVICES)('of $name lists what the service reads, and nothing else', async ({ name, variables }) => {
    expect((await readBy(name)).sort()).toEqual([...variables].sort());
  });
});
