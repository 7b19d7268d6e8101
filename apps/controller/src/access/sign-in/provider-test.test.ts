import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGroups } from '../../config/oidc-settings.ts';
import { testProvider } from './provider-test.ts';

// A provider that nobody could sign in by: its metadata and its keys are those of a test.

let metadata: object = {};
let keys = '';
const server = createServer((request, response) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(request.url === '/keys' ? keys : JSON.stringify(metadata));
});
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-provider-'));
let issuer = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const good = () => ({ issuer, jwks_uri: `${issuer}/keys`, claims_supported: ['groups', 'email_verified'] });
const oneKey = '{"keys":[{}]}';
const answers = '+ The provider answers, and its issuer equals VANTAGE_OIDC_ISSUER: ';
const pkce = '+ It accepts the sign-in of this controller';
const read = '+ Its keys that sign tokens were read: 1.';
const silent = '- It lists no claim "email_verified"';
const named = '+ It names the groups of people.';

interface Case {
  readonly metadata?: object;
  readonly keys?: string;
  readonly groups?: undefined;
  readonly secret?: string;
  readonly allowsUnverified?: boolean;
}

test.each<[string, Case, readonly string[]]>([
  ['nothing', {}, [answers, pkce, read, named]],
  [
    'no method of PKCE',
    { metadata: { code_challenge_methods_supported: [] } },
    [answers, '- It does not accept PKCE', read, named],
  ],
  [
    'S256',
    { metadata: { code_challenge_methods_supported: ['plain', 'S256'] } },
    [answers, pkce, read, named],
  ],
  [
    'no address of keys',
    { metadata: { jwks_uri: undefined } },
    [answers, pkce, '- It names no address of its keys', named],
  ],
  ['no keys', { keys: '{"keys":[]}' }, [answers, pkce, '- It has no keys that sign tokens at ', named]],
  ['keys of no form', { keys: '[]' }, [answers, pkce, '- Its keys at ', named]],
  [
    'groups as a scope',
    { metadata: { claims_supported: undefined, scopes_supported: ['groups'] } },
    [answers, pkce, read, named],
  ],
  [
    'no groups',
    { metadata: { claims_supported: ['name'] } },
    [answers, pkce, read, silent, '- It lists neither'],
  ],
  [
    'no groups, which nobody needs',
    { metadata: { claims_supported: ['email_verified'] }, groups: undefined },
    [answers, pkce, read],
  ],
  [
    'no verified address',
    { metadata: { claims_supported: ['groups'] } },
    [answers, pkce, read, silent, named],
  ],
  [
    'no verified address, which the operator permits',
    { metadata: { claims_supported: ['groups'] }, allowsUnverified: true },
    [answers, pkce, read, named],
  ],
  ['a secret', { secret: 'kept\n' }, ['+ The client secret is read', answers, pkce, read, named]],
  [
    'an empty secret',
    { secret: ' \n' },
    ['- The file of the client secret (VANTAGE_OIDC_CLIENT_SECRET_FILE) is empty.'],
  ],
])('the findings of a provider that has: %s', async (_what, given, expected) => {
  metadata = { ...good(), ...given.metadata };
  keys = given.keys ?? oneKey;
  const clientSecretFile = given.secret === undefined ? undefined : path.join(folder, 'secret');
  if (clientSecretFile !== undefined) writeFileSync(clientSecretFile, given.secret ?? '');
  const groups = 'groups' in given ? undefined : readGroups('admins=UA');
  const { allowsUnverified = false } = given;
  const settings = {
    issuer,
    clientId: 'vantage',
    clientSecretFile,
    groups,
    account: 'one',
    allowsUnverified,
  };
  const said = (await testProvider(settings)).map(({ works, text }) => `${works ? '+' : '-'} ${text}`);
  expect(said).toEqual(expected.map((line) => expect.stringContaining(line)));
});
