import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type JWK } from 'oidc-provider';

/** Somebody whom the provider knows. */
interface ProviderPerson {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

/**
 * Changes the claims of an ID token, and says which key signs it: the provider's, another one, or none (`alg: none`).
 */
export type Forge = (claims: JWTPayload) => {
  readonly claims: JWTPayload;
  readonly by: 'provider' | 'somebody' | 'nobody';
};

/** A real OpenID provider (oidc-provider) on loopback, which signs in `person` without asking. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whom it signs in. */
  person: ProviderPerson;
  /** Forges the ID tokens that it gives from now on; undefined: it gives its own. */
  forge: Forge | undefined;
}

/** Starts it. `back` is where browsers come back to. */
export async function startOidcProvider(back: string): Promise<TestProvider> {
  const [own, other] = await Promise.all([newKey(), newKey()]);
  const state: Pick<TestProvider, 'person' | 'forge'> = { person: { sub: 'nobody' }, forge: undefined };
  const clientId = 'vantage';
  const clientSecret = 'a secret of the client';
  let handle = (_: IncomingMessage, response: ServerResponse): unknown => response.end();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: Provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${back}/sign-in/callback`],
        post_logout_redirect_uris: [`${back}/`],
      },
    ],
    jwks: { keys: [own.jwk] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of the cookies'] },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ ...state.person, sub: accountId }) }),
    async loadExistingGrant({ oidc: { client, session } }) {
      const grant = new provider.Grant({
        ...(client && { clientId: client.clientId }),
        ...(session?.accountId !== undefined && { accountId: session.accountId }),
      });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  handle = async (request, response) => {
    if (request.url?.startsWith('/interaction/') === true)
      return provider.interactionFinished(request, response, { login: { accountId: state.person.sub } });
    if (request.url === '/token' && state.forge !== undefined)
      replaceIdToken(response, state.forge, { provider: own, somebody: other });
    return answer(request, response);
  };
  return Object.assign(state, {
    issuer,
    clientId,
    clientSecret,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type Key = Awaited<ReturnType<typeof newKey>>;

async function newKey() {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...((await exportJWK(privateKey)) as JWK), kid: 'one', alg: 'RS256', use: 'sig' };
  return { privateKey, jwk };
}

/** The answer of the token endpoint goes out with another ID token. */
function replaceIdToken(
  response: ServerResponse,
  forge: Forge,
  keys: { readonly provider: Key; readonly somebody: Key },
): void {
  const end = response.end.bind(response);
  response.end = ((body: unknown) => {
    void (async () => {
      const answer = JSON.parse(String(body)) as { id_token?: string };
      const [, payload = ''] = (answer.id_token ?? '').split('.');
      const { claims, by } = forge(JSON.parse(Buffer.from(payload, 'base64url').toString()) as JWTPayload);
      const unsigned = [{ alg: 'none' }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      );
      const id_token =
        by === 'nobody'
          ? `${unsigned.join('.')}.`
          : await new SignJWT(claims)
              .setProtectedHeader({ alg: 'RS256', kid: 'one' })
              .sign(keys[by].privateKey);
      const text = JSON.stringify({ ...answer, id_token });
      response.setHeader('Content-Length', Buffer.byteLength(text));
      end(text);
    })();
    return response;
  }) as typeof response.end;
}
