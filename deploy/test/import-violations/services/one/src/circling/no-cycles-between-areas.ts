import { upper } from '../circled';

export const raised = upper;
