import { routes } from '../..';
import { epicsHome } from './epics-home';

it('every endpoint of epics has both paths, and no other endpoint has two (G-4.18-5)', () => {
  const paths = routes.map(({ path, otherPath }) => ({ path, otherPath }));
  const ofEpics = paths.filter(({ path }) => `${path}/`.startsWith(`${epicsHome.path}/`));
  expect(ofEpics.length).toBeGreaterThan(40);
  expect(ofEpics).toEqual(ofEpics.map(({ path }) => ({ path, otherPath: path.replace('/:id/', '/:id/-/') })));
  expect(paths.filter(({ otherPath }) => otherPath !== undefined)).toHaveLength(ofEpics.length);
});
