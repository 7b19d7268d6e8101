import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOidcProvider, type TestProvider } from '@vantage/testing/oidc-provider';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type OidcSettings, readGroups } from '../../../config/oidc-settings.ts';
import { createRestFixture, type RestFixture } from '../../../testing/rest-fixture.ts';

/** Where browsers reach the controller of these tests. */
export const site = 'https://vantage.test';

/** The cookies of a browser for one site. */
function createJar() {
  const jar = new Map<string, string>();
  return {
    take(headers: Headers) {
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
    },
    get text() {
      return [...jar].map((pair) => pair.join('=')).join('; ');
    },
  };
}

/**
 * A browser that signs in from the page `from`: where it was sent back to, and the answer there. `change` changes that
 * address.
 */
export async function browse(
  rest: RestFixture,
  change: (address: URL) => void = () => {},
  from = '/sign-in',
) {
  const [own, theirs] = [createJar(), createJar()];
  const get = async (path: string) => {
    const reply = await fetch(`${rest.baseUrl.replace('/v1.1', '')}${path}`, {
      redirect: 'manual',
      headers: { 'X-Forwarded-Proto': 'https', Cookie: own.text },
    });
    own.take(reply.headers);
    return reply;
  };
  const begin = await get(from);
  let address = new URL(begin.headers.get('Location') ?? 'none:');
  const first = address;
  for (let hop = 0; hop < 6 && address.origin !== site; hop += 1) {
    const reply = await fetch(address, { redirect: 'manual', headers: { Cookie: theirs.text } });
    theirs.take(reply.headers);
    address = new URL(reply.headers.get('Location') ?? `${site}/nowhere`, address);
  }
  change(address);
  const back = `${address.pathname}${address.search}`;
  const answer = await get(back);
  return { first, answer, text: await answer.text(), own, get, back };
}

/** A real provider for the tests of a file; each begins without forged tokens. */
export function useProvider() {
  let provider: TestProvider;
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-oidc-'));
  const clientSecretFile = path.join(folder, 'secret');
  beforeAll(async () => {
    provider = await startOidcProvider(site);
    writeFileSync(clientSecretFile, `${provider.clientSecret}\n`);
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    provider.forge = undefined;
  });
  return {
    get provider() {
      return provider;
    },
    start: (groups?: string, more: Partial<OidcSettings> = {}) =>
      startWith(provider, { clientSecretFile, ...more }, groups),
  };
}

/** The API with the account `one`, a key of level UA, and the provider. */
async function startWith(
  provider: TestProvider,
  more: Pick<OidcSettings, 'clientSecretFile'> & Partial<OidcSettings>,
  groups?: string,
) {
  const rest = await createRestFixture({
    settings: {
      oidc: {
        issuer: provider.issuer,
        clientId: provider.clientId,
        groups: groups === undefined ? undefined : readGroups(groups),
        account: 'one',
        ...more,
      },
    },
  });
  const { accountNo } = await rest.account('one');
  const { key } = await rest.key(accountNo, 'UA');
  const send = (method: string, route: string, body?: object) =>
    rest.send(method, route, { key, ...(body && { body }) });
  return { rest, send };
}
