import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where distributions put Chromium; `CHROMIUM` names another. */
const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const isThere = (path: string | undefined): path is string => {
  if (path === undefined) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** The installed Chromium; undefined where there is none. */
const chromiumPath = places.find(isThere);

/** A `describe` in Chromium; where there is none its tests count as skipped, with the reason in their name. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (chromiumPath !== undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: Chromium is not installed; CHROMIUM names one)`, tests);
}

/** Starts it. Without the flags it tries to reach its maker at every start. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
