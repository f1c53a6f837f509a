export type { JobHandlers, JobOutcome, JobRequests } from './application/work-jobs';
export { composeJobs } from './compose';
export type { JobRequest } from './domain/job';
export { enqueueJobs } from './storage/job.store';
export { ofStorages } from './storage/of-storages';
