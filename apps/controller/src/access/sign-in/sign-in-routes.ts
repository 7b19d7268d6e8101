import type { Route, RouteRequest } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import { levels, type Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { z } from 'zod';
import type { OidcSettings } from '../../config/oidc-settings.ts';
import { findAccountNo } from '../accounts/account-store.ts';
import { type ProviderFinding, testProvider } from './provider-test.ts';

const group = z
  .strictObject({
    Group: z.string().describe('The name of the group at the provider.').meta({ example: 'noc' }),
    Level: z.enum(levels).describe('The rights of its members.'),
    Tags: z
      .array(z.string())
      .nullable()
      .describe('The names of the tags to which they are limited; null: no limit.')
      .meta({ example: ['berlin/rack-3'] }),
  })
  .meta({ id: 'SignInGroup', description: 'A group of the provider whose members may sign in.' });

const provider = z
  .strictObject({
    Issuer: z.string().describe('VANTAGE_OIDC_ISSUER.').meta({ example: 'https://login.example.org' }),
    ClientId: z.string().describe('VANTAGE_OIDC_CLIENT_ID.').meta({ example: 'vantage' }),
    HasSecret: z.boolean().describe('There is a client secret; false: a public client (PKCE).'),
    Callback: z
      .string()
      .describe('The redirect URI, which the provider must know.')
      .meta({ example: 'https://vantage.example.org/sign-in/callback' }),
    Groups: z
      .array(group)
      .nullable()
      .describe(
        'Whose members sign in, the first match counts; null: invited people sign in. Groups of another account are left out.',
      ),
  })
  .meta({ id: 'SignInProvider', description: 'The provider that signs people in (OpenID Connect).' });

const header = z
  .strictObject({
    Name: z
      .string()
      .describe('The header in which a proxy names whom it signed in, in small letters.')
      .meta({ example: 'x-forwarded-email' }),
    TrustedProxies: z
      .array(z.string())
      .describe('The addresses and networks from which the header counts.')
      .meta({ example: ['10.0.0.5'] }),
  })
  .meta({ id: 'SignInHeader', description: 'Sign-in by a proxy in front of this controller.' });

const settingsFull = z
  .strictObject({
    Provider: provider.nullable().describe('Single sign-on; null: none is set up.'),
    Header: header.nullable().describe('Sign-in by a proxy; null: none is set up.'),
  })
  .meta({
    id: 'SignInSettings',
    description: 'How people sign in besides keys and passwords, as the operator set it up.',
  });

const findings = z
  .strictObject({
    Findings: z
      .array(
        z
          .strictObject({
            Way: z.enum(['Provider', 'Header']).describe('What was tried.'),
            Works: z.boolean().describe('Whether this part works.'),
            Text: z
              .string()
              .describe('A sentence for people.')
              .meta({ example: 'The client secret is read from its file.' }),
          })
          .meta({ id: 'SignInFinding', description: 'A part of signing in that was tried.' }),
      )
      .describe('In the order of a sign-in; []: neither a provider nor a proxy is set up.'),
  })
  .meta({ id: 'SignInTest', description: 'What works of signing in.' });

/** The parts that the settings of signing in need. */
export interface SignInSettingsDeps {
  readonly oidc?: OidcSettings | undefined;
  /** In small letters; undefined: there is none. */
  readonly signInHeader?: string | undefined;
  readonly trustedProxies: readonly string[];
  /** The address at which people reach this installation, without a slash at the end. */
  readonly baseUrl: () => string;
}

/** The settings of signing in, and a test of them, for admins. */
export function signInRoutes(deps: SignInSettingsDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/sign-in',
      limitedCallers: 'refused',
      level: 'UA',
      tag: 'Service',
      summary: 'How people sign in besides keys and passwords, as the operator set it up.',
      description: 'Settings of the operator (`docs/settings.md`); nothing of it can be changed here.',
      subject: noSubject,
      response: settingsFull,
      names: { root: 'sign-in' },
      handler: async ({ db, session }) => ({ body: await show(db, deps, session) }),
    }),
    route({
      method: 'POST',
      path: '/sign-in/test',
      level: 'UA',
      tag: 'Service',
      summary: 'Tries whether people can sign in, and says in words what works.',
      description:
        'The test requests the metadata and the keys of the provider. For a proxy the test is this request itself: whether it came through a trusted proxy, and whom that named.',
      waits: true,
      subject: noSubject,
      response: findings,
      names: undefined,
      handler: async ({ proxy }) => {
        const [ofProvider, ofHeader] = [
          deps.oidc === undefined ? [] : await testProvider(deps.oidc),
          deps.signInHeader === undefined ? [] : [headerFinding(deps.signInHeader, proxy)],
        ];
        const shown = (Way: 'Provider' | 'Header') => (found: ProviderFinding) => ({
          Way,
          Works: found.works,
          Text: found.text,
        });
        return {
          body: { Findings: [...ofProvider.map(shown('Provider')), ...ofHeader.map(shown('Header'))] },
        };
      },
    }),
  ];
}

async function show(
  { kysely }: Reader,
  { oidc, signInHeader, trustedProxies, baseUrl }: SignInSettingsDeps,
  { accountNo }: Session,
): Promise<z.input<typeof settingsFull>> {
  const isOwn = oidc !== undefined && (await findAccountNo(kysely, oidc.account)) === accountNo;
  return {
    Provider:
      oidc === undefined
        ? null
        : {
            Issuer: oidc.issuer,
            ClientId: oidc.clientId,
            HasSecret: oidc.clientSecretFile !== undefined,
            Callback: `${baseUrl()}/sign-in/callback`,
            Groups:
              oidc.groups === undefined
                ? null
                : (isOwn ? oidc.groups : []).map(({ group: Group, level: Level, tags }) => ({
                    Group,
                    Level,
                    Tags: tags && [...tags],
                  })),
          },
    Header: signInHeader === undefined ? null : { Name: signInHeader, TrustedProxies: [...trustedProxies] },
  };
}

/** Whether this request came by a proxy that names people. Pure. */
function headerFinding(name: string, proxy: RouteRequest['proxy']): ProviderFinding {
  if (proxy === undefined)
    return {
      works: false,
      text: `This request did not come by a trusted proxy (VANTAGE_TRUSTED_PROXIES), so the header ${name} does not count. Open this page at the address of the proxy.`,
    };
  return proxy.user === undefined
    ? { works: false, text: `This request came by a trusted proxy, but without the header ${name}.` }
    : { works: true, text: `This request came by a trusted proxy, which named ${proxy.user} as signed in.` };
}
