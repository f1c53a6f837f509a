import { levels as levelsOfOwner } from '../../../groups-admin/src/domain/levels';
import { allScopes } from '../../../groups-admin/src/domain/scopes';
import { levels } from '../../src/http/levels';
import { openapiOf } from '../../src/http/params';
import { personalAccessTokenRoutes } from '../../src/routes/groups-admin/personal-access-tokens.routes';

it('levels and scopes are those of the service that owns them', () => {
  expect(levels).toEqual(levelsOfOwner);
  const creation = personalAccessTokenRoutes.find(({ path }) => path === '/users/:user_id/personal_access_tokens');
  const params = creation?.params as { scopes: unknown };
  expect(openapiOf(params.scopes)).toMatchObject({ items: { enum: allScopes } });
});
