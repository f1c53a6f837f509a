import { deathTests } from './deaths-at-points';

jest.setTimeout(600_000);

deathTests((points) => points);
