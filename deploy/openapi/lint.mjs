import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core';
import { document } from './document.mjs';

// The address is GitLab's, and so are those it could be taken for: `/projects/user/archive` is the archive of a project `user` to this rule.
const ambiguous = 'Found two ambiguous paths: `/projects/user/{user_id}` and `/projects/{id}/';

// Redocly's recommended rules. Warnings count as errors.
const found = await lintFromString({
  source: JSON.stringify(document(), null, 1),
  absoluteRef: 'openapi.json',
  config: await createConfig({ extends: ['recommended'] }),
});
const problems = found.filter(({ message }) => !message.includes(ambiguous));
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: '' });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
