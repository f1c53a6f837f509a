import { endpointFinder, type ReplyValidator, replyValidator as validatorOf } from '@switchyard/testkit/replies';
import { statusesOf } from '../../src/http/reference/responses';
import { routes } from '../../src/routes';

/** The route that serves a request, the one with most literal segments first. */
export const routeOf = endpointFinder(routes);

/** Builds the validator of the replies of every route. */
export const replyValidator = (): ReplyValidator => validatorOf(routes, statusesOf);
