import { deathTests } from './processes/deaths';
import { forkTests } from './processes/forks';
import { mergeRequestTests } from './processes/merge-requests';
import { moveTests } from './processes/moves';
import { repositoryTests } from './processes/repositories';
import { type Processes, processSteps, startProcesses } from './processes/steps';

/** Two processes of the service, each with one storage. */

let processes: Processes;
const here = () => processes;

beforeAll(async () => {
  processes = await startProcesses();
  await processSteps(here).addMembers();
});
afterAll(() => processes?.close());

describe('merge requests', () => mergeRequestTests(here));
describe('forks', () => forkTests(here));
describe('moves', () => moveTests(here));
// Last: it stops and starts one of the two.
describe('repositories', () => repositoryTests(here));
deathTests();
