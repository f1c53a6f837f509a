import { readFileSync } from 'node:fs';
import { eventually } from '@switchyard/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, startBrowser } from './browser';
import { busyTrain, car, goodToken, statistics, trainScene } from './train-scene';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

jest.setTimeout(120_000);

describeInBrowser('the page of a train, in Chromium', () => {
  let browser: Browser;
  let scene: Awaited<ReturnType<typeof trainScene>>;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    scene = await trainScene();
    problems.length = 0;
  });
  afterEach(async () => {
    await page?.context().close();
    await scene.close();
  });

  async function open(options: BrowserContextOptions & { figures?: boolean } = {}): Promise<Page> {
    const { figures = true, ...more } = options;
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, bypassCSP: false, ...more });
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      // What the policy forbids is said here.
      if (message.type() === 'error') problems.push(message.text());
    });
    if (figures) await page.route('**/merge_trains/main/statistics*', (route) => route.fulfill({ json: statistics() }));
    return page;
  }

  async function signIn(url = scene.url, token = goodToken): Promise<void> {
    await page.goto(url);
    await page.getByLabel('Personal access token').fill(token);
    await page.keyboard.press('Enter');
  }
  const live = () => page.getByText('Live', { exact: true }).waitFor();
  const rows = () => page.locator('tbody tr.car');

  /** Waits for what an expression says; `waitForFunction` would need what the policy forbids. */
  const shows = (expression: string) =>
    eventually(async () => expect(await page.evaluate(expression)).toBe(true), { every: 10 });

  /** Violations of the rules of axe, by their ids. */
  async function violations(): Promise<string[]> {
    // The inspector's own world: the policy of the page lets no foreign script in.
    const session = await page.context().newCDPSession(page);
    const evaluate = async (expression: string) => {
      const { result } = await session.send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      return result.value;
    };
    await evaluate(`${axe}; undefined`);
    const found = await evaluate(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))',
    );
    await session.detach();
    return found as string[];
  }

  it('asks for a token once, and the tab alone keeps it', async () => {
    await open();
    await page.goto(scene.url);
    expect(await violations()).toEqual([]);
    await signIn();
    await live();
    await page.reload();
    await live();
    expect(await page.evaluate('[localStorage.length, document.cookie, location.search]')).toEqual([0, '', '']);
    expect(page.url()).not.toContain('glpat');
    const other = await page.context().newPage();
    await other.goto(scene.url);
    await other.getByLabel('Personal access token').waitFor();
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.getByLabel('Personal access token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await shows('document.activeElement.id === "token" && document.title === "Merge trains"');
    await page.keyboard.type(goodToken);
    await page.keyboard.press('Enter');
    await live();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(problems).toEqual([]);
  });

  it.each([
    ['light', 1200, 'light'],
    ['dark', 1200, 'dark'],
    ['a phone', 390, 'light'],
    ['a phone, dark', 390, 'dark'],
  ] as const)('shows the train so that axe finds nothing: %s', async (_name, width, colorScheme) => {
    await open({ viewport: { width, height: 844 }, colorScheme, reducedMotion: 'reduce' });
    await signIn();
    await live();
    await page.getByText('The last weeks').waitFor();
    await page.getByText('Evidence').click();
    await page.getByText('The days as a table').click();
    expect(await violations()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(problems).toEqual([]);
  });

  it('shows every car, and who left, as a table with heads and a list', async () => {
    await open();
    await signIn();
    await live();
    const table = page.getByRole('table', { name: /In the train/ });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Place',
      'Merge request',
      'State',
      'Commit',
      'Pipeline',
      'Expected',
    ]);
    expect(await rows().count()).toBe(8);
    const third = table.getByRole('row').nth(3);
    await third.getByText('keeps its place until those ahead have landed').waitFor();
    expect(await third.getByRole('link').first().getAttribute('href')).toBe(
      'https://forge.example/acme/web/-/merge_requests/44',
    );
    await table.getByText('tested together with !47, !48').waitFor();
    await page.getByText('Evidence').click();
    expect(await page.getByRole('link', { name: 'unit tests' }).getAttribute('href')).toBe(
      'https://ci.example/runs/77',
    );
    // An address that runs code is no link.
    expect(await page.getByRole('link', { name: 'lint' }).count()).toBe(0);
    await page.getByText('lint', { exact: true }).waitFor();
    expect(await page.locator('.plot canvas').count()).toBe(2);
    expect(problems).toEqual([]);
  });

  it('what the server sends is text, never markup', async () => {
    await open();
    const title = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
    const view = busyTrain();
    const evil = car(50, 1);
    scene.show({
      ...view,
      entries: [{ ...evil, merge_request: { ...evil.merge_request, title, web_url: 'javascript:window.hit=1' } }],
      departures: [{ ...view.departures[1], title }],
      control: { ...view.control, state: 'paused', reason: title },
    });
    await signIn();
    await live();
    expect(await page.getByText(title).count()).toBe(3);
    expect(await page.evaluate('[window.hit, document.images.length]')).toEqual([undefined, 0]);
    expect(await rows().getByRole('link', { name: '<img' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('shows a change of 100 cars within a second, keeps the rows of those that stay, and tells a screen reader little', async () => {
    await open();
    const [landed] = busyTrain().departures;
    const train = (n: number) => ({
      ...busyTrain(),
      entries: Array.from({ length: 100 }, (_, at) => car(n + at, at + 1)),
      total: 100,
      departures: Array.from({ length: 20 }, (_, at) => ({
        ...landed,
        merge_request_iid: n - at,
      })),
    });
    scene.show(train(100));
    await signIn();
    await live();
    expect(await rows().count()).toBe(100);
    await page.evaluate('document.querySelectorAll("tr.car")[50].marked = true');
    await page.evaluate(
      'window.said = []; new MutationObserver(() => said.push(document.querySelector("[role=status]").textContent)).observe(document.querySelector("[role=status]"), { childList: true, characterData: true, subtree: true })',
    );
    const times: number[] = [];
    for (let n = 101; n <= 110; n += 1) {
      const since = Date.now();
      scene.show(train(n));
      await shows(`document.querySelector("tr.car .by").textContent.includes("!${n} ")`);
      times.push(Date.now() - since);
    }
    expect(Math.max(...times)).toBeLessThan(1_000);
    expect(await page.evaluate('document.querySelectorAll("tr.car")[40].marked')).toBe(true);
    await shows('said.length > 0');
    expect(await page.evaluate('said')).toEqual(['10 merge requests have landed or been removed.']);
    expect(problems).toEqual([]);
  });

  it('says when it is not live, and comes back by itself', async () => {
    await open();
    await signIn();
    await live();
    scene.away(true);
    await page.getByText(/Not live: as of/).waitFor();
    await page.getByRole('button', { name: 'Try now' }).waitFor();
    expect(await rows().count()).toBe(8);
    expect(await violations()).toEqual([]);
    const spoken = page.getByRole('status');
    await spoken.getByText('Not live.', { exact: true }).waitFor();
    scene.away(false);
    await live();
    await spoken.getByText('Live again.', { exact: true }).waitFor();
    problems.length = 0;
  });

  it('a token that is revoked ends the page within five seconds, and is asked for again', async () => {
    await open();
    // The interval of the statistics, 5 minutes, passes ten times a second.
    await page.addInitScript(
      'const real = setInterval; window.setInterval = (run, ms) => real(run, ms === 300_000 ? 100 : ms)',
    );
    await signIn();
    await live();
    await page.waitForRequest('**/statistics*');
    const since = Date.now();
    scene.state.revoked = true;
    await page.getByText('The token is not valid, or no longer.').waitFor({ timeout: 8_000 });
    // The stream ends within 5 s; the page then tries again, and is refused.
    expect(Date.now() - since).toBeLessThan(6_500);
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    expect(await rows().count()).toBe(0);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.evaluate('[document.title, document.activeElement.id]')).toEqual(['Merge trains', 'token']);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Merge trains');
    await page.waitForTimeout(1_000);
    expect(sent).toEqual([]);
  });

  it('waits as long as a server that is too busy asks', async () => {
    await open();
    const project = '**/api/v4/projects/acme%2Fweb';
    await page.route(project, (route) => route.fulfill({ status: 429, headers: { 'Retry-After': '60' } }));
    await signIn();
    await page.getByText(/next try in (60|5\d) s/).waitFor();
    await page.unroute(project);
    await page.getByRole('button', { name: 'Try now' }).click();
    await live();
  });

  it('can try again where a right was missing', async () => {
    await open();
    const project = '**/api/v4/projects/acme%2Fweb';
    await page.route(project, (route) => route.fulfill({ status: 403 }));
    await signIn();
    await page.getByText('does not allow you to see this train').waitFor();
    expect(await violations()).toEqual([]);
    await page.unroute(project);
    await page.getByRole('button', { name: 'Try again' }).click();
    await live();
    expect(await page.getByText('does not allow you').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
  });

  it('shows a state that it does not know, and a project without a default branch', async () => {
    await open();
    const view = busyTrain();
    scene.show({ ...view, control: { ...view.control, state: 'winding_down' } });
    await signIn();
    await live();
    await page.getByText('State: winding down').waitFor();
    await page.route('**/api/v4/projects/acme%2Fweb', (route) =>
      route.fulfill({ json: { id: 1, path_with_namespace: 'acme/web', web_url: '', default_branch: null } }),
    );
    await page.route('**/merge_trains?*', (route) => route.fulfill({ json: [] }));
    await page.goto(`${scene.gateway.url}/-/trains/acme/web`);
    const empty = page.getByText('No merge train has run in this project yet.');
    await empty.waitFor();
    expect(await empty.textContent()).toBe('No merge train has run in this project yet.');
    expect(problems).toEqual([]);
  });

  it('says what is wrong: a bad token, no such project, no statistics', async () => {
    await open({ figures: false });
    await signIn(scene.url, 'glpat-someone-elses-0001');
    await page.getByText('The token is not valid').waitFor();
    await signIn();
    await live();
    expect(await page.getByText('The last weeks').count()).toBe(0);
    await page.goto(`${scene.gateway.url}/-/trains/nothing/here/main`);
    await page.getByText('There is no such project').waitFor();
    await page.goto(`${scene.gateway.url}/-/trains/acme`);
    await page.getByText('Add the path of a project').waitFor();
  });

  it('lists the trains of a project; a click, or Enter, opens one', async () => {
    await open();
    await signIn(`${scene.gateway.url}/-/trains/acme/web`);
    await page.getByRole('link', { name: 'release/2.0' }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'main' }).focus();
    await page.keyboard.press('Enter');
    await live();
    expect(new URL(page.url()).pathname).toBe('/-/trains/acme/web/main');
    // The first stop of the keyboard leads past the head.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the train');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(problems).toEqual([]);
  });
});
