import { gistImportMail } from './gist-import-mail';

const gist = { title: 'Many', url: 'https://forge.example/g/1', reason: 'it has more than 10 files' };

test('the mail lists what was not imported, and says how much more there is', () => {
  const ended = { importId: 7, problem: '', imported: 3, skipped: 2, skippedGists: [gist] };
  expect(gistImportMail(ended)).toMatchObject({ cause: 'gist_import.7', subject: 'Some gists were not imported' });
  expect(gistImportMail(ended).body).toMatch(
    /^Imported as personal snippets: 3\. Not imported: 2:\n\n- Many: it has more than 10 files\n {2}https:\/\/forge.example\/g\/1\n- and 1 more\n/,
  );
});

test('the mail about an import that failed says why', () => {
  const failed = gistImportMail({ importId: 7, problem: 'no\0', imported: 0, skipped: 0, skippedGists: [] });
  expect(failed.subject).toBe('Your gists were not imported');
  expect(failed.body).toMatch(/^The import of your gists has failed: no\ufffd\n\nImported as personal snippets: 0\./);
});
