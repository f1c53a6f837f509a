import { routes } from '../..';
import { epicsHome } from './epics-home';

it('every endpoint of epics has both paths (G-4.18-5)', () => {
  const ofEpics = routes
    .map(({ path, otherPath }) => ({ path, otherPath }))
    .filter(({ path }) => `${path}/`.startsWith(`${epicsHome.path}/`));
  expect(ofEpics.length).toBeGreaterThan(40);
  expect(ofEpics).toEqual(ofEpics.map(({ path }) => ({ path, otherPath: path.replace('/:id/', '/:id/-/') })));
});
