export type { RequireUnprotected } from './application/manage-protection-rules';
export { composeProtection, type Protection } from './compose';
export { effectiveLevel } from './domain/protection-rule';
