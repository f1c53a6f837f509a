import { kit } from '@switchyard/testkit';

export const used = kit;
