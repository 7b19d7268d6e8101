// The agent is killed (kill -9) at every single operation on files of an upgrade. Afterwards the launcher starts the
// installed program or the whole new one, never a part of it, and the next upgrade succeeds.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { planLaunch } from '../../apps/agent/src/upgrade/launch-plan.ts';
import { makeParcel, makeReleaseKey } from '../../apps/agent/src/upgrade/testing/signed-parcel.ts';

const top = mkdtempSync(path.join(tmpdir(), 'vantage-kill-upgrade-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const steps = path.join(import.meta.dirname, 'upgrade-steps.ts');

test('kill -9 at each operation of an upgrade leaves the old version or the whole new one', {
  timeout: 1_800_000,
}, async () => {
  const key = makeReleaseKey();
  const { parcel, signed } = await makeParcel(key, { version: '1.1.0' });
  const run = (folder: string, deadly = 0) => {
    const { signal, stdout, stderr } = spawnSync(process.execPath, [steps, folder, String(deadly)], {
      encoding: 'utf8',
    });
    return { signal, operations: Number(stdout), stderr };
  };
  const make = (name: string) => {
    const folder = path.join(top, name);
    for (const each of ['home', 'data']) mkdirSync(path.join(folder, each), { recursive: true });
    writeFileSync(path.join(folder, 'home/VERSION'), '1.0.0\n');
    writeFileSync(path.join(folder, 'release.pub'), key.line);
    writeFileSync(path.join(folder, 'parcel'), parcel);
    writeFileSync(path.join(folder, 'parcel.sig'), signed);
    return folder;
  };
  const whole = run(make('whole'));
  expect(whole.operations, whole.stderr).toBeGreaterThan(20);
  const started = { old: 0, fresh: 0 };
  for (let deadly = 1; deadly <= whole.operations; deadly += 1) {
    const folder = make(String(deadly));
    expect(run(folder, deadly).signal).toBe('SIGKILL');
    const [home, dataDir] = [path.join(folder, 'home'), path.join(folder, 'data')];
    const releaseKeyFile = path.join(folder, 'release.pub');
    const outcome = { kind: 'ended', status: 137 } as const;
    // The launcher says nothing of a fault: whatever it finds is whole.
    const { program, text = '' } = await planLaunch({ home, dataDir, releaseKeyFile, outcome });
    expect([home, path.join(dataDir, 'versions/1.1.0')], `killed at ${deadly}`).toContain(program);
    expect(text, `killed at ${deadly}`).not.toContain('signed');
    started[program === home ? 'old' : 'fresh'] += 1;
    const again = run(folder);
    expect(again.signal, again.stderr).toBeNull();
    expect(readdirSync(path.join(dataDir, 'versions')).sort(), again.stderr).toEqual([
      '1.1.0',
      '1.1.0.sig',
      'current',
    ]);
  }
  process.stdout.write(
    `kill -9 of an upgrade: ${JSON.stringify({ points: whole.operations, ...started })}\n`,
  );
  expect(started.old).toBeGreaterThan(0);
  expect(started.fresh).toBeGreaterThan(0);
});
