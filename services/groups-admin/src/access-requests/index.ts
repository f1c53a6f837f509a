export { composeAccessRequests } from './compose';
export { type Admission, refuseAdmission } from './domain/admission';
export { endAccessRequestsIn, endAccessRequestsOfUser, endByMembership } from './storage/access-request.ends';
export { hasAccessRequest, readAdmission } from './storage/admission.sql';
export type { Approve } from './transport/access-request.handler';
