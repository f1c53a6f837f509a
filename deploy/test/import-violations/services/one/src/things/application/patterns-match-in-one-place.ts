import { RE2JS } from 're2js';

export const expression = RE2JS.compile('a');
