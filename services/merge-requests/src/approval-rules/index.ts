export { composeApprovalRules } from './compose';
