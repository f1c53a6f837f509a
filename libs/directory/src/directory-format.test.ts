import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { directoryFormat } from './directory-format';

const proto = readFileSync(join(__dirname, '../../../protos/switchyard/groups_admin/v1/directory.proto'), 'utf8');

/** Fields of the messages that rows consist of. */
const fields = [...proto.matchAll(/^message (Directory(?!Change\b)\w+) \{\n(.*?)^\}/gms)].flatMap(([, message, body]) =>
  [...(body ?? '').matchAll(/^ +((?:repeated |optional )?[\w.<>, ]+ \w+ = \d+)/gm)].map(
    ([, field]) => `${message}: ${field}`,
  ),
);

test('a row that gets more raises the format', () => {
  const digest = createHash('sha256').update(fields.sort().join('\n')).digest('hex').slice(0, 16);
  // Another digest needs another number, so that replicas which an older groups-admin has filled are read again.
  expect({ format: directoryFormat, fields: fields.length, digest }).toEqual({
    format: 2,
    fields: 126,
    digest: '9d64504343d0ceab',
  });
});
