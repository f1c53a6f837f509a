import { SERVICES } from '../catalogue.mjs';

jest.mock('@switchyard/config', () => ({
  ...jest.requireActual('@switchyard/config'),
  parseEnvironment: (shape: object) => shape,
}));

describe('the catalogue of processes', () => {
  it.each(SERVICES)('gives $name what its configuration reads, and nothing else', async ({ name, variables }) => {
    const { readConfig } = await import(`../../services/${name}/src/config`);
    expect([...variables].sort()).toEqual(Object.keys(readConfig()).sort());
  });
});
