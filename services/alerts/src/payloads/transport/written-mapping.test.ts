import { MappedField } from '@switchyard/protos/alerts/v1/http_integration';
import { mappedFields } from '../domain/attribute-mapping';

test('the fields that a mapping may name are those of the proto', () => {
  const named = Object.values(MappedField).map((field) => field.replace('MAPPED_FIELD_', '').toLowerCase());
  expect(named.filter((name) => name !== 'unspecified')).toEqual(mappedFields);
});
