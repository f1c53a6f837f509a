import { routes } from '../routes';
import { openApiDocument } from './openapi';

test('every route stands in the reference, in a section with a name of its own', () => {
  const { paths } = openApiDocument(routes, 'https://forge.example') as unknown as {
    paths: Record<string, Record<string, { tags: string[] }>>;
  };
  const tags = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ tags: [tag] }) => tag ?? ''));
  expect(tags).toHaveLength(routes.length);
  expect([...new Set(tags)].filter((tag) => !/^[A-Z]/.test(tag))).toEqual([]);
});
