import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, startBrowser } from '../../pages/browser';
import { makeFixture, makeReviewer } from '../support/fixture';
import type { System } from '../support/system';
import { makeTrainHarness, type TrainHarness } from '../support/train-harness';

/** The page of a train on an installation: what it shows from boarding to landing. */
export const pageTests = (started: () => System): void =>
  describeInBrowser('the page of a train on an installation', () => {
    let browser: Browser;
    let page: Page;
    let train: TrainHarness;
    let folder: string;

    beforeAll(async () => {
      const system = started();
      folder = mkdtempSync(join(tmpdir(), 'switchyard-page-'));
      const fixture = await makeFixture(system, await makeReviewer(system), 'watched', folder);
      train = await makeTrainHarness(fixture);
      const { path_with_namespace: path } = await fixture.ok('GET', `/projects/${fixture.projectId}`);
      browser = await startBrowser();
      page = await browser.newPage();
      await page.goto(`${system.url}/-/trains/${path}/main`);
      await page.getByLabel('Personal access token').fill(system.rootToken);
      await page.keyboard.press('Enter');
      await page.getByText('Live', { exact: true }).waitFor();
    });
    afterAll(async () => {
      await browser?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('shows a car when it is added, while it is tested, and no more when it has landed', async () => {
      await page.getByText('The train is empty.').waitFor();
      const proposal = await train.propose('watched');
      await train.addToTrain(proposal);
      const row = page
        .getByRole('table', { name: /In the train/ })
        .getByRole('row')
        .nth(1);
      await row.getByText(`!${proposal.iid} `).waitFor();
      await row.getByText('Testing').waitFor();
      const commit = row.locator('code');
      await eventually(async () => expect(await commit.getAttribute('title')).toMatch(/^[0-9a-f]{40}$/));
      await train.runCi(() => train.expectLanded(proposal));
      await page.getByText('The train is empty.').waitFor();
    });
  });
