import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { UpgradeReport_State as State, UpgradeSchema } from '@vantage/proto';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { makeReleaseKey } from './testing/signed-parcel.ts';
import { openUpgrader } from './upgrader.ts';
import { openVersionsFolder } from './versions-folder.ts';

const top = mkdtempSync(path.join(tmpdir(), 'vantage-upgrader-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const key = makeReleaseKey();
const chosen = { upgradeId: 'u', version: '1.1.0', previous: '1.0.0', installed: '1.0.0' };

let folders = 0;
let folder = '';
beforeEach(() => {
  folder = path.join(top, String(folders++));
  mkdirSync(path.join(folder, 'data'), { recursive: true });
  writeFileSync(path.join(folder, 'VERSION'), '1.0.0\n');
  writeFileSync(path.join(folder, 'release.pub'), key.line);
});

const versions = () => openVersionsFolder(path.join(folder, 'data'));
/** An agent of a version; `sent` gets its reports, `restarts` counts. */
async function open(
  version: string,
  values: { readonly home?: string | undefined; releaseKeyFile?: string } = {},
) {
  const sent: string[] = [];
  const restart = vi.fn();
  const upgrader = await openUpgrader({
    home: folder,
    releaseKeyFile: path.join(folder, 'release.pub'),
    dataDir: path.join(folder, 'data'),
    version,
    clock: createFakeClock(),
    random: () => 0.5,
    restart,
    log: createLog('test', 'silent'),
    endpoints: [],
    proxy: undefined,
    signal: new AbortController().signal,
    prove: async () => ({ kind: 'none', reason: { kind: 'refused', text: 'no' } }),
    send: ({ upgradeId, state, text }) => void sent.push(`${upgradeId} ${State[state]} ${text}`.trim()),
    ...values,
  });
  const ask = async (upgradeId: string, asked: string) => {
    upgrader.request(create(UpgradeSchema, { upgradeId, version: asked }));
    await upgrader.settled();
  };
  return { upgrader, sent, ask, restart };
}

test('a version on trial says nothing until a report of it is answered, also when the controller asks for it again', async () => {
  await versions().keepTrial({ ...chosen, starts: 1 });
  const { upgrader, sent, ask } = await open('1.1.0');
  upgrader.connected();
  await ask('u', '1.1.0');
  expect(sent).toEqual([]);
  upgrader.reportAnswered();
  await upgrader.settled();
  expect(sent).toEqual(['u RUNNING']);
  expect([await versions().trial(), await versions().current()]).toMatchObject([undefined, chosen]);
  await ask('u', '1.1.0');
  upgrader.connected();
  expect(sent).toEqual(['u RUNNING', 'u RUNNING', 'u RUNNING']);
});

test('an upgrade that failed is reported after each connect, and not tried again when the controller asks for it again', async () => {
  await versions().keepFailure({ upgradeId: 'u', version: '1.1.0', text: 'it hangs' });
  const { upgrader, sent, ask, restart } = await open('1.0.0');
  upgrader.connected();
  await ask('u', '1.1.0');
  expect(sent).toEqual(['u FAILED it hangs', 'u FAILED it hangs']);
  expect(restart).not.toHaveBeenCalled();
});

test('an agent goes back to the version before without a download, and refuses an older one', async () => {
  await versions().keepTrial({ ...chosen, starts: 1 });
  await versions().confirm();
  const { sent, ask, restart } = await open('1.1.0');
  await ask('v', '0.9.0');
  expect(sent).toEqual([
    'v FAILED version 0.9.0 is older than the running 1.1.0; the agent goes back to 1.0.0 only',
  ]);
  await ask('w', '1.0.0');
  expect(sent.slice(1)).toEqual(['w RESTARTING']);
  expect(restart).toHaveBeenCalledOnce();
  expect(await versions().trial()).toMatchObject({ version: '1.0.0', previous: '1.1.0', starts: 0 });
});

test.each([
  ['from a checkout or in a container', { home: undefined }, 'upgrade the checkout or the image'],
  ['on a host without a release key', { releaseKeyFile: '/nowhere/release.pub' }, 'release key'],
])('an agent that runs %s cannot upgrade itself, and says so', async (_, values, text) => {
  const { upgrader, sent, ask } = await open('1.0.0', values);
  expect(upgrader).toMatchObject({ architecture: '', fault: expect.stringContaining(text) });
  expect(upgrader.fault.length).toBeLessThanOrEqual(100);
  await ask('u', '1.1.0');
  expect(sent).toEqual([
    expect.stringContaining(`u FAILED this agent cannot upgrade itself: ${upgrader.fault}`),
  ]);
});
