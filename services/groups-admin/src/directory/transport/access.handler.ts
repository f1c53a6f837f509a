import { invalidParams } from '@switchyard/errors';
import {
  AccessServiceService,
  type ResolveRequest,
  type ResolveResponse,
} from '@switchyard/protos/groups_admin/v1/access';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { LocateProject } from '../application/locate-project';
import type { ResolveAccess } from '../application/resolve-access';

/** Most questions of one call, and how many of them are answered at a time: others wait for the database as well. */
const maxQuestions = 500;
const atOnce = 4;

/** Answers in the order of the questions. */
async function resolveAll(resolve: ResolveAccess, questions: readonly ResolveRequest[]): Promise<ResolveResponse[]> {
  if (questions.length > maxQuestions) throw invalidParams('too many questions');
  const answers: ResolveResponse[] = [];
  for (let at = 0; at < questions.length; at += atOnce)
    answers.push(...(await Promise.all(questions.slice(at, at + atOnce).map((question) => resolve(question)))));
  return answers;
}

/** AccessService, for the gateway and for services that authenticate by themselves (smart HTTP). */
export const accessHandler = (resolve: ResolveAccess, locate: LocateProject): ServiceImplementation =>
  implement(
    AccessServiceService,
    {
      resolve: (request) => resolve(request),
      resolveAll: async ({ questions }) => ({ answers: await resolveAll(resolve, questions) }),
      locateProject: ({ path }) => locate(path),
    },
    {
      resolve: { callers: ['gateway', 'merge-requests'], unbounded: true },
      resolveAll: { callers: ['gateway'], unbounded: true },
      locateProject: { callers: ['alerts'] },
    },
  );
