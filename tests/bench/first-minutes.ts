// A person who has never seen Vantage, with a clock: from `npm start` in a clone to "my router is watched, I get an
// e-mail when it fails, my colleague can see it, our customers have a page". Everything is typed and clicked, with a
// pause to read at each step. Prints the seconds of each step. Usage: node tests/bench/first-minutes.ts [clone]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { freePort } from '@vantage/testing/free-port';
import type { Locator, Page } from 'playwright-core';
import { startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { repositoryRoot } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { printFigures } from './figures.ts';

/** Time to read what is new on the screen, and between two letters. */
const [readMs, letterMs] = [2_000, 80];
const maxMs = 600_000;

await using resources = new AsyncDisposableStack();
const mailServer = resources.use(await startFakeMailServer());
const router = resources.use(await startTarget());
const browser = await startBrowser();
resources.defer(() => browser.close());
const clone = process.argv[2] ?? makeClone();

function makeClone(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-first-minutes-'));
  resources.defer(() => rmSync(folder, { recursive: true }));
  execFileSync('git', ['clone', '--quiet', '--local', repositoryRoot, path.join(folder, 'vantage')]);
  return path.join(folder, 'vantage');
}

const steps: { readonly what: string; readonly seconds: number }[] = [];
let fromMs = performance.now();
function took(what: string): void {
  const seconds = (performance.now() - fromMs) / 1_000;
  steps.push({ what, seconds });
  process.stdout.write(`${seconds.toFixed(1)} s: ${what}\n`);
  fromMs = performance.now();
}

/** Starts it as its README says; resolves with the address and the key that it prints. */
async function start(): Promise<{ readonly base: string; readonly key: string }> {
  const [https, agents] = [await freePort(), await freePort()];
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const child = spawn('npm', ['start'], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...Object.fromEntries(inherited),
      VANTAGE_HTTPS_PORT: `${https}`,
      VANTAGE_AGENT_PORT: `${agents}`,
      VANTAGE_SMTP_URL: mailServer.url,
    },
  });
  resources.defer(async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString('utf8');
  });
  for (;;) {
    const base = /Vantage is up: (\S+)/.exec(output)?.[1];
    const key = /Key \(UA\) +(\w+)/.exec(output)?.[1];
    if (base !== undefined && key !== undefined && output.includes('Ctrl-C')) return { base, key };
    await delay(100);
    if (performance.now() - fromMs > maxMs) throw new Error(`it does not start:\n${output}`);
  }
}

const read = () => delay(readMs);
const type = async (field: Locator, text: string) => {
  await field.click();
  await field.press('Control+a');
  await field.pressSequentially(text, { delay: letterMs });
};
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

async function watchRouter(page: Page): Promise<void> {
  await type(page.getByLabel('Address'), `127.0.0.1:${router.port}`);
  await press(page, 'Add this device');
  await read();
  await type(page.getByLabel('Name', { exact: true }), 'My router');
  await press(page, 'Add this device');
  await page.getByRole('heading', { name: 'My router' }).waitFor();
  await page.getByText('Up', { exact: true }).first().waitFor();
}

async function getMails(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Schedules' }).click();
  await read();
  await page.getByRole('link', { name: 'Add a contact' }).first().click();
  await read();
  await page.getByLabel('Type').selectOption('email');
  await type(page.getByLabel('Name'), 'Me');
  await type(page.getByLabel('Address'), 'me@example.org');
  await press(page, 'Add this contact');
  await read();
  await press(page, 'Send a test');
  await page.getByText('Delivered: ').waitFor();
  await press(page, 'Notify it of every alert');
  await page.getByRole('link', { name: 'Everybody' }).waitFor();
}

async function inviteColleague(page: Page, base: string): Promise<void> {
  await press(page, 'Account');
  await page.getByRole('link', { name: 'Keys and people' }).click();
  await read();
  await press(page, 'Invite a person');
  await read();
  await type(page.getByLabel('Name', { exact: true }), 'Ada');
  await type(page.getByLabel('E-mail address'), 'ada@example.org');
  await press(page, 'Create the invitation');
  const link = (await page.getByRole('dialog').locator('pre').textContent())?.trim() ?? '';
  await press(page, 'Done');
  const theirs = await openWindow(browser, []);
  await theirs.goto(link);
  await read();
  for (const label of [/^Password/, 'The same again'])
    await type(theirs.getByLabel(label), 'correct horse battery');
  await press(theirs, 'Set the password');
  await read();
  await theirs.getByRole('link', { name: 'Sign in' }).click();
  await theirs.getByText('Sign in with e-mail and password').click();
  await type(theirs.getByLabel('E-mail address'), 'ada@example.org');
  await type(theirs.getByLabel('Password', { exact: true }), 'correct horse battery');
  await press(theirs, 'Sign in');
  await theirs.getByRole('link', { name: 'Devices', exact: true }).click();
  await theirs.getByRole('link', { name: 'My router' }).waitFor();
  process.stdout.write(`  the colleague is at ${theirs.url()}, the invitation led to ${base}\n`);
  await theirs.context().close();
}

async function makePage(page: Page): Promise<void> {
  await press(page, 'Account');
  await page.getByRole('link', { name: 'Status pages' }).click();
  await read();
  await page.getByRole('link', { name: 'Create a status page' }).click();
  await read();
  await type(page.getByLabel('Name', { exact: true }), 'Our services');
  await press(page, 'Create the page');
  const link = page.getByRole('link', { name: /^Open the page/ });
  await link.waitFor();
  const customers = await openWindow(browser, []);
  await customers.goto((await link.getAttribute('href')) ?? '');
  await customers.getByRole('heading', { name: 'All services are operational' }).waitFor();
  await customers.context().close();
}

const { base, key } = await start();
took('npm start prints the address and the keys');
const page = await openWindow(browser, []);
await page.goto(base);
await read();
await page.getByLabel('API key').fill(key); // it is pasted
await press(page, 'Sign in');
await page.getByRole('heading', { name: 'What do you want to monitor?' }).waitFor();
took('signed in');
await read();
await watchRouter(page);
took('my router is watched');
await getMails(page);
took('I get an e-mail when it fails');
await inviteColleague(page, base);
took('my colleague can see it');
await makePage(page);
took('our customers have a page');
const wholeS = steps.reduce((sum, { seconds }) => sum + seconds, 0);
await router.stop();
while (
  !mailServer.messages.some(({ data }) => /Subject: .*My router/.test(data)) &&
  performance.now() - fromMs < maxMs
)
  await delay(200);
took('the e-mail of a failure, after the router is switched off');
printFigures('The first minutes', [
  ...steps.map(({ what, seconds }) => ({
    what,
    unit: 's',
    ours: seconds,
    peer: '',
    theirs: '',
    better: 'less' as const,
  })),
  { what: 'from npm start to the page', unit: 's', ours: wholeS, peer: 'bound', theirs: 300, better: 'less' },
]);
