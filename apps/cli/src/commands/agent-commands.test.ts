import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { createTestDatabase } from '@vantage/testing/database';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runVantage } from '../testing/run-vantage.ts';

test('an invitation to an address that cannot be reached from here has its line, with the warning; --no-check looks at nothing', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'vantage-invite-'));
  mkdirSync(path.join(dir, 'tls'));
  writeFileSync(path.join(dir, 'tls/server.pem'), makeCertificate({ names: ['vantage.invalid'] }).cert);
  await using database = await createTestDatabase();
  const vantage = (...args: string[]) =>
    runVantage(args, { VANTAGE_DATABASE_URL: database.url, VANTAGE_DATA: dir, VANTAGE_PARCELS: dir });
  await vantage('accounts', 'create', 'inviter');
  await vantage('locations', 'create', 'here', '--account', 'inviter');
  const at = ['--account', 'inviter', '--location', 'here', '--json'];
  const invite = (...more: string[]) => vantage('agents', 'invite', ...at, ...more);
  const line = z.object({ command: z.string() });
  const far = await invite('--endpoint', 'https://vantage.invalid:8444');
  expect(line.parse(JSON.parse(far.out)).command).toMatch(
    /--pinnedpubkey "sha256\/\/.* --endpoint https:\/\/vantage.invalid:8444/,
  );
  expect(far.err).toContain('The controller cannot reach https://vantage.invalid:8444 itself');
  const other = ['--endpoint', 'https://other.invalid:1'];
  expect(await invite(...other)).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not have the name'),
  });
  const unchecked = await invite(...other, '--no-check');
  expect(line.parse(JSON.parse(unchecked.out)).command).toContain('--endpoint https://other.invalid:1');
  expect(unchecked.err).not.toMatch(/cannot reach|no setting/);
  const bare = await invite('--no-check');
  expect(bare.err).toContain('no setting has the address at which agents reach this controller');
  const text = await vantage('agents', 'invite', ...at.slice(0, -1), ...other, '--no-check');
  expect(text.out).toMatch(
    /\n\nPaste this line on the host:\n\nsh -c .* --endpoint https:\/\/other.invalid:1[^\n]*\n\n$/,
  );
  rmSync(dir, { recursive: true });
});
