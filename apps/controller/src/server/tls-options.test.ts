import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureCertificates, type GeneratedCertificates } from './server-certificate.ts';
import { testAuthorities } from './testing/test-authorities.ts';
import { secureContextOptions, tlsServerOptions } from './tls-options.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'vantage-suites-'));
let own: GeneratedCertificates;
beforeAll(async () => {
  own = await ensureCertificates({
    dir,
    names: ['localhost'],
    authorities: await testAuthorities(),
    clock: createFakeClock(Date.now() * 1000),
    log: createLog('test', 'silent'),
  });
});
afterAll(() => rmSync(dir, { recursive: true }));

const portOf = (server: Server): number => {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
};

/** Connects with these suites of TLS 1.2 (or with TLS 1.3); the name of the suite, or the error's code. */
const suiteWith = (port: number, ciphers: string | undefined): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(own.caFile),
      ...(ciphers === undefined ? {} : { ciphers, maxVersion: 'TLSv1.2' as const }),
    });
    socket.once('secureConnect', () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });

/** A connection by TLS 1.2. */
const connectOld = (port: number): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(own.caFile),
      maxVersion: 'TLSv1.2',
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
  });

/** The error of a handshake by TLS 1.1 at most. */
const errorOfTls11 = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: readFileSync(own.caFile),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    socket.once('secureConnect', () => resolve(`connected by ${socket.getProtocol()}`));
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });

describe.each([
  ['https', () => createHttpsServer(tlsServerOptions(own.server))],
  ['http2', () => createSecureServer(tlsServerOptions(own.server))],
] as const)('a TLS server of the controller by %s', (_name, make) => {
  test.each([false, true])('speaks no CBC suite (certificate renewed: %s)', async (renewed) => {
    const server = make();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    if (renewed) server.setSecureContext(secureContextOptions(own.server));
    const port = portOf(server);
    expect(await suiteWith(port, 'ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384')).toMatch(
      /ALERT|FAILURE/,
    );
    expect(await suiteWith(port, 'ECDHE-ECDSA-AES256-GCM-SHA384')).toBe('ECDHE-ECDSA-AES256-GCM-SHA384');
    expect(await suiteWith(port, undefined)).toMatch(/^TLS_/);
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([false, true])(
    'speaks TLS 1.2 or 1.3 and does not renegotiate (certificate renewed: %s)',
    async (renewed) => {
      const server = make();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      if (renewed) server.setSecureContext(secureContextOptions(own.server));
      const port = portOf(server);
      expect(await errorOfTls11(port)).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
      const socket = await connectOld(port);
      const renegotiated = await new Promise((resolve) => {
        socket.once('error', ({ message }) => resolve(message));
        socket.renegotiate({ rejectUnauthorized: true }, (error) => resolve(error?.message ?? 'done'));
      });
      expect(renegotiated).toMatch(/no renegotiation/);
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  );
});
