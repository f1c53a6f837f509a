import { createConfig, formatProblems, getTotals, lintFromString } from '@redocly/openapi-core';
import { document } from './document.mjs';

// The addresses are GitLab's, and so are those that the rule takes them for: it reads `/projects/user/archive` as the
// archive of a project `user`. A branch that is called `merge_requests` is written `merge%5Frequests`. The id of a
// package is a number, and no name of a format.
const ambiguous = [
  /ambiguous paths: (?:`\/projects\/user\/\{user_id\}` and `\/projects\/\{id\}\/|`\/projects\/\{id\}\/\S+ and `\/projects\/user\/\{user_id\}`)/,
  /ambiguous paths: .*\/packages\/(?:\{package_id\}|npm|maven|pypi|generic|protection|cleanup)\/?/,
  /ambiguous paths: (?=.*\/merge_trains\/merge_requests\/\{merge_request_iid\}`).*\/merge_trains\/\{target_branch\}\/\w+`/,
];

// Redocly's recommended rules. Warnings count as errors.
const found = await lintFromString({
  source: JSON.stringify(document(), null, 1),
  absoluteRef: 'openapi.json',
  config: await createConfig({ extends: ['recommended'] }),
});
const problems = found.filter(({ message }) => !ambiguous.some((one) => one.test(message)));
const totals = getTotals(problems);
formatProblems(problems, { format: 'codeframe', totals, version: '' });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
