import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '@vantage/probes/testing';
import { beforeEach, expect, test } from 'vitest';
import { judgeCertificate, judgeFiles } from './examine-certificate.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-doctor-'));
  return () => rmSync(folder, { recursive: true });
});

test('a certificate that cannot be read is a fault', () => {
  expect(judgeCertificate('no certificate', 0)).toMatchObject({ level: 'fault', step: 'certificate' });
});

test('the files of VANTAGE_TLS_CERT must be readable, a matching pair, and valid', () => {
  const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const judge = () => judgeFiles({ certFile, keyFile }, Date.now());
  expect(judge()).toMatchObject({ level: 'fault', text: expect.stringContaining(certFile) });
  const [first, second] = [makeCertificate({ names: ['a'], toDays: 90 }), makeCertificate({ names: ['a'] })];
  writeFileSync(certFile, first.cert);
  writeFileSync(keyFile, second.key);
  expect(judge()).toMatchObject({ level: 'fault', text: expect.stringContaining('the key does not belong') });
  writeFileSync(keyFile, first.key);
  expect(judge()).toMatchObject({ level: 'ok' });
});
