import { readFile } from 'node:fs/promises';
import type spdx from 'spdx-license-list/full';
import { type LicenseTemplate, licenseTemplate } from '../domain/license';

/** Licences that are recognised, by their ids of SPDX, with the shorter names by which some are known. */
const recognised: Readonly<Record<string, string | null>> = {
  '0BSD': null,
  'AFL-3.0': null,
  'AGPL-3.0': 'GNU AGPLv3',
  'Apache-2.0': null,
  'Artistic-2.0': null,
  'BSD-2-Clause': null,
  'BSD-2-Clause-Patent': null,
  'BSD-3-Clause': null,
  'BSD-3-Clause-Clear': null,
  'BSD-4-Clause': null,
  'BSL-1.0': null,
  'BlueOak-1.0.0': null,
  'CC-BY-4.0': null,
  'CC-BY-SA-4.0': null,
  'CC0-1.0': null,
  'CECILL-2.1': null,
  'ECL-2.0': null,
  'EPL-1.0': null,
  'EPL-2.0': null,
  'EUPL-1.1': null,
  'EUPL-1.2': null,
  'GPL-2.0': 'GNU GPLv2',
  'GPL-3.0': 'GNU GPLv3',
  ISC: null,
  'LGPL-2.1': 'GNU LGPLv2.1',
  'LGPL-3.0': 'GNU LGPLv3',
  'LPPL-1.3c': null,
  MIT: null,
  'MIT-0': null,
  'MPL-2.0': null,
  'MS-PL': null,
  'MS-RL': null,
  'MulanPSL-2.0': null,
  NCSA: null,
  'ODbL-1.0': null,
  'OFL-1.1': null,
  'OSL-3.0': null,
  PostgreSQL: null,
  'UPL-1.0': null,
  Unlicense: null,
  Vim: null,
  WTFPL: null,
  Zlib: null,
};

async function templateOf(id: string, nickname: string | null): Promise<LicenseTemplate> {
  const file = require.resolve(`spdx-license-list/licenses/${id}.json`);
  const { name, url, licenseText }: (typeof spdx)[string] = JSON.parse(await readFile(file, 'utf8'));
  return licenseTemplate({
    key: id.toLowerCase(),
    // SPDX names the two ways in which a project can take a GNU licence; its text is the same.
    name: name.replace(/ (only|or later)$/, ''),
    nickname,
    sourceUrl: url,
    text: licenseText,
  });
}

/** Reads the texts of the licences that are recognised, once, at the first use. */
export function licenseTemplates(): () => Promise<readonly LicenseTemplate[]> {
  let templates: Promise<readonly LicenseTemplate[]> | undefined;
  return () => {
    templates ??= Promise.all(Object.entries(recognised).map(([id, nickname]) => templateOf(id, nickname)));
    return templates;
  };
}
