export { composeServiceAccounts } from './compose';
