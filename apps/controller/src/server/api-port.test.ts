import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { createLog, systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiPort, createApiPort } from './api-port.ts';
import { ensureCertificates, type GeneratedCertificates } from './server-certificate.ts';
import { testAuthorities } from './testing/test-authorities.ts';

let dir: string;
let own: GeneratedCertificates;
let api: ApiPort;
let port: number;
const surroundings = {
  isTrustedProxy: () => false,
  clock: systemClock,
  log: createLog('test', 'silent'),
};
const certificates = async (names: readonly string[]) =>
  ensureCertificates({
    dir,
    names,
    authorities: await testAuthorities(),
    clock: createFakeClock(Date.now() * 1000),
    log: createLog('test', 'silent'),
  });
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'vantage-port-'));
  own = await certificates(['127.0.0.1']);
  api = createApiPort({
    ...surroundings,
    certificate: own.server,
    handler: (req, res) => {
      let size = 0;
      req.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      req.on('end', () => res.end(`${req.socket instanceof TLSSocket ? 'tls' : 'plain'} ${size}`));
    },
  });
  port = await api.listen(0, '127.0.0.1');
});
afterEach(async () => {
  await api.close(100);
  rmSync(dir, { recursive: true });
});

function ask(tls: boolean, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method: 'POST', agent: false };
    const done = (res: import('node:http').IncomingMessage) => {
      let text = '';
      res.on('data', (chunk) => {
        text += chunk;
      });
      res.on('end', () => resolve(text));
    };
    const req = tls
      ? request({ ...options, ca: readFileSync(own.caFile) }, done)
      : plainRequest(options, done);
    req.on('error', reject);
    req.end(body);
  });
}

test.each([10, 500_000])('TLS and plain HTTP reach the handler on one port, %i bytes whole', async (size) => {
  expect(await ask(true, Buffer.alloc(size))).toBe(`tls ${size}`);
  expect(await ask(false, Buffer.alloc(size))).toBe(`plain ${size}`);
});

test('a renewed certificate is given to new connections', async () => {
  own = await certificates(['127.0.0.1', 'other.example']);
  api.renew(own.server);
  const names = await new Promise<string | undefined>((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, ca: readFileSync(own.caFile), agent: false }, (res) => {
      const socket = res.socket;
      resolve(socket instanceof TLSSocket ? socket.getPeerCertificate().subjectaltname : undefined);
      res.resume();
    });
    req.on('error', reject);
    req.end();
  });
  expect(names).toContain('other.example');
});

test('closing cuts a connection that never says anything', async () => {
  const silent = connect(port, '127.0.0.1');
  await new Promise((resolve) => silent.once('connect', resolve));
  const closed = new Promise((resolve) => silent.once('close', resolve));
  await api.close(50);
  await closed;
});

test('a taken port is a rejection, not a crash', async () => {
  const other = createApiPort({
    ...surroundings,
    certificate: own.server,
    handler: (_req, res) => res.end(),
  });
  await expect(other.listen(port, '127.0.0.1')).rejects.toThrow(/EADDRINUSE/);
});
