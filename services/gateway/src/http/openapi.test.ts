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

test('the reference says what is not supported yet, and what is for administrators', () => {
  const { paths } = openApiDocument(routes, 'https://forge.example') as unknown as {
    paths: Record<
      string,
      {
        get: { parameters: { name: string; schema: object }[] };
        put: { requestBody: { content: Record<string, { schema: { properties: Record<string, object> } }> } };
      }
    >;
  };
  const filter = (path: string, wanted: string) =>
    paths[path]?.get.parameters.find(({ name }) => name === wanted)?.schema;
  expect(filter('/merge_requests', 'approved')).toEqual({
    type: 'string',
    enum: ['yes', 'no'],
    description: 'Not supported yet: refused with 400.',
  });
  expect(filter('/groups', 'repository_storage')).toEqual({
    type: 'string',
    description: 'Not supported yet: refused with 400. For administrators; ignored from others.',
  });
  expect(paths['/groups/{id}']?.put.requestBody.content['application/json']?.schema.properties).toMatchObject({
    membership_lock: {
      type: 'boolean',
      description: 'Not supported yet: values other than false are refused with 400.',
    },
  });
});
