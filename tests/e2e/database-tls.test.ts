// A PostgreSQL that demands TLS: with its authority a controller serves. Every other way is refused, with what to do.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { programEnv } from '@vantage/kernel/testing';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type DatabaseServer, hasPrograms, startPrimary } from '../harness/database-servers.ts';
import { repositoryRoot } from '../harness/system.ts';

/** An address of the loopback network at which no other server listens. */
const host = '127.0.0.213';
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-db-tls-'));
let server: DatabaseServer;

/** A certificate that is its own authority. */
function makeCertificate(name: string, names: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [path.join(folder, `${name}.pem`), path.join(folder, `${name}.key`)];
  const made = ['-keyout', key, '-out', cert, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...made], {
    stdio: 'pipe',
  });
  chmodSync(key, 0o600);
  return { cert, key };
}

let own: string;
let foreign: string;
beforeAll(async () => {
  if (!hasPrograms) return;
  const made = makeCertificate('server', `IP:${host},DNS:localhost`);
  [own, foreign] = [made.cert, makeCertificate('foreign', 'DNS:foreign').cert];
  chmodSync(folder, 0o755);
  server = await startPrimary(undefined, { listen_addresses: host });
  const data = path.join(server.folder, 'data');
  writeFileSync(
    path.join(data, 'pg_hba.conf'),
    'local all all trust\nhostssl all all all trust\nhostnossl all all all reject\n',
  );
  // PostgreSQL takes a key of its own user only.
  const { uid, gid } = statSync(server.folder);
  for (const file of [made.cert, made.key]) chownSync(file, uid, gid);
  await withClient(server.superuserUrl, async (client) => {
    await client.query(`alter system set ssl_cert_file = '${made.cert}'`);
    await client.query(`alter system set ssl_key_file = '${made.key}'`);
    await client.query('alter system set ssl = on');
  });
  await server.restart();
}, 600_000);
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true });
});
beforeEach(({ skip }) => skip(!hasPrograms, 'PostgreSQL 15 of Debian is missing (package postgresql-15)'));

const urlWith = (query: string) => `postgres://vantage@${host}:5432/postgres${query}`;

/** Runs a controller until it ends, or until its output holds `last`. */
async function controllerOn(url: string, last?: string): Promise<string> {
  const dataDir = mkdtempSync(path.join(folder, 'data-'));
  const child = spawn(process.execPath, [path.join(repositoryRoot, 'apps/controller/src/main.ts')], {
    env: {
      ...programEnv(),
      VANTAGE_DATA: dataDir,
      VANTAGE_DATABASE_URL: url,
      VANTAGE_HTTPS_PORT: '0',
      VANTAGE_AGENT_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let seen = '';
  child.stderr.on('data', (piece: Buffer) => (seen += piece.toString()));
  const whole = Promise.all([text(child.stdout), text(child.stderr)]);
  if (last !== undefined) {
    await vi.waitFor(() => expect(seen).toContain(last), { timeout: 400_000, interval: 100 });
    child.kill('SIGTERM');
  }
  return (await whole).join('\n');
}

test('with the authority of the server a controller serves, and every connection is encrypted', async () => {
  const url = urlWith(`?sslmode=verify-full&sslrootcert=${encodeURIComponent(own)}`);
  const serving = controllerOn(url, 'the controller serves');
  await vi.waitFor(
    async () => {
      const { rows } = await withClient(server.superuserUrl, (client) =>
        client.query<{ ssl: boolean }>(
          `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where usename = 'vantage'`,
        ),
      );
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.every(({ ssl }) => ssl)).toBe(true);
    },
    { timeout: 400_000, interval: 100 },
  );
  await serving;
}, 600_000);

test.each([
  [
    'with another authority',
    () => `?sslmode=verify-full&sslrootcert=${encodeURIComponent(foreign)}`,
    'no authority that is trusted here signed its certificate: append',
  ],
  [
    'with no authority',
    () => '?sslmode=verify-full',
    'no authority that is trusted here signed its certificate: append',
  ],
  ['without TLS', () => '', 'it demands TLS: append ?sslmode=verify-full&sslrootcert=FILE'],
])(
  '%s a controller does not start, and says what to do',
  async (_, query, advice) => {
    expect(await controllerOn(urlWith(query()))).toContain(advice);
  },
  600_000,
);

test('a server whose certificate has another name is refused, and the controller says what to do', async () => {
  const other = makeCertificate('other', 'DNS:other.example');
  const { uid, gid } = statSync(server.folder);
  for (const file of [other.cert, other.key]) chownSync(file, uid, gid);
  await withClient(server.superuserUrl, async (client) => {
    await client.query(`alter system set ssl_cert_file = '${other.cert}'`);
    await client.query(`alter system set ssl_key_file = '${other.key}'`);
  });
  await server.restart();
  const query = `?sslmode=verify-full&sslrootcert=${encodeURIComponent(other.cert)}`;
  expect(await controllerOn(urlWith(query))).toContain('is for another name: write a host');
}, 600_000);
