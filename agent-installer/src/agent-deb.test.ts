import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packDeb } from './agent-deb.ts';
import { root } from './root.ts';

const parcel = {
  version: '1.2.3',
  arch: 'amd64',
  entries: [
    { name: 'bin/vantage-agent', mode: 0o755, data: Buffer.from('#!/bin/sh\n') },
    { name: 'service/vantage-agent.service', mode: 0o644, data: Buffer.from('[Unit]\n') },
  ],
} as const;

test('the package has command, unit and program, everything of root, and the same files give the same bytes', async ({
  skip,
}) => {
  const packed = await packDeb(parcel);
  expect((await packDeb(parcel)).equals(packed)).toBe(true);
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-deb-'));
  try {
    const file = path.join(folder, 'agent.deb');
    writeFileSync(file, packed);
    const dpkg = (...args: string[]) => execFileSync('dpkg-deb', args, { encoding: 'utf8' });
    skip(!hasDpkg(), 'dpkg-deb is missing (Debian: dpkg)');
    expect(dpkg('--field', file, 'Package', 'Version', 'Architecture')).toBe(
      'Package: vantage-agent\nVersion: 1.2.3\nArchitecture: amd64\n',
    );
    const listed = dpkg('--contents', file);
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \S*opt\/vantage-agent\/bin\/vantage-agent$/m);
    expect(listed).toMatch(
      /^lrwxrwxrwx root\/root .* \S*usr\/bin\/vantage-agent -> \/opt\/vantage-agent\/bin\/vantage-agent$/m,
    );
    dpkg('--control', file, path.join(folder, 'control'));
    expect(readFileSync(path.join(folder, 'control/postrm'), 'utf8')).toBe(
      readFileSync(path.join(root, 'agent-installer/debian/postrm'), 'utf8'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function hasDpkg(): boolean {
  try {
    execFileSync('dpkg-deb', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
