// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps and references are written so
import { reference, sentinel } from './sentinel.ts';
import { serviceDevices } from './sentinel-services.ts';
import { type EchoMethod, type EchoTarget, echoDatagrams, echoLines, echoWeb } from './sentinel-targets.ts';
import type { NewDevice } from './sentinel-welcome.ts';
import { dnsServer } from './watched.ts';

/** The Methods with a login in a dialogue. */
export const lineMethods: readonly EchoMethod[] = [
  'SMTP',
  'POP3',
  'IMAP4',
  'NNTP',
  'FTP',
  'TELNET',
  'MySQL',
  'SSH',
];

/**
 * Devices of every Method with a secret in each field that accepts one. Their servers refuse every login; `targets`
 * keeps the servers.
 */
export async function refusedDevices(targets: AsyncDisposableStack): Promise<readonly NewDevice[]> {
  const hold = async (target: Promise<EchoTarget>) => targets.use(await target).target;
  const web = await hold(echoWeb());
  const tcp = await hold(echoLines('TCP'));
  const dns = targets.use(await dnsServer());
  const datagrams = await hold(echoDatagrams());
  const lines = await Promise.all(
    lineMethods.map(async (method) => lineDevices(method, await hold(echoLines(method)))),
  );
  return [
    ...lines.flat(),
    ...['yes', 'no'].flatMap((way) => webDevices(`${web}/${way}`)),
    ...tcpDevices(tcp),
    { Method: 'DNS', URL: dns.url, Options: { Expect: [reference('KEPT')] } },
    { Method: 'PING', URL: '127.0.0.1' },
    ...snmpDevices(datagrams),
    { Method: 'UDP', URL: datagrams, Options: { Send: reference('KEPT'), ExpectText: 'other' } },
    { Method: 'NTP', URL: datagrams },
    ...directoryDevices(tcp),
    ...radiusDevices(datagrams),
    { Method: 'SIP', URL: datagrams, Options: { From: `sip:${reference('KEPT')}@example.org` } },
    {
      Method: 'Domain',
      URL: 'kept.example',
      Options: { RDAPServer: `http://${web}/yes`, ExpectRegistrar: reference('KEPT') },
    },
    ...(await serviceDevices({ tcp, web, serve: hold })),
    ...scriptDevices(web, tcp),
  ];
}

function lineDevices(Method: EchoMethod, at: string): readonly NewDevice[] {
  const scheme = { IMAP4: 'imap' }[String(Method)] ?? Method.toLowerCase();
  const takesBanner = Method !== 'SSH' && Method !== 'MySQL';
  const banner = takesBanner ? { ExpectBanner: reference('KEPT') } : {};
  const passphrase = Method === 'SSH' ? { Passphrase: sentinel('passphrase') } : {};
  return [
    { Method, URL: `${scheme}://me:${sentinel('url')}@${at}` },
    { Method, URL: at, Options: { User: 'me', Password: sentinel('options') } },
    { Method, URL: at, Options: { User: 'me', Password: reference('KEPT'), ...banner } },
    { Method, URL: `${scheme}://me:${reference('ODD')}@${at}`, Options: passphrase },
  ];
}

function webDevices(at: string): readonly NewDevice[] {
  const Headers = {
    Authorization: `Bearer ${sentinel('bearer')}`,
    Cookie: `a=${sentinel('cookie')}`,
    'X-Api-Key': sentinel('header'),
  };
  const [host] = at.split('/');
  const body = { Method: 'POST', Body: reference('KEPT'), ExpectText: reference('KEPT') };
  return [
    { Method: 'HTTP', URL: `http://me:${sentinel('url')}@${at}` },
    { Method: 'HTTP', URL: `http://${at}`, Options: { User: 'me', Password: sentinel('options') } },
    { Method: 'HTTP', URL: `http://${at}`, Options: { Headers, ExpectText: 'nothing' } },
    { Method: 'HTTP', URL: `http://${at}?key=${reference('ODD')}`, Options: body },
    { Method: 'HTTP', URL: `http://${at}`, Options: { Token: sentinel('token') } },
    {
      Method: 'HTTP',
      URL: `http://${at}`,
      Options: { Auth: 'Digest', User: 'me', Password: reference('KEPT') },
    },
    { Method: 'HTTP', URL: `http://${at}`, Options: stepOptions() },
    { Method: 'HTTP', URL: `http://${at}`, Options: { Proxy: `http://me:${sentinel('proxy')}@${host}` } },
  ];
}

/** Steps with secrets in their headers and bodies. The first one takes all that its server repeats. */
function stepOptions() {
  const first = {
    Name: 'first',
    Method: 'POST',
    Headers: { 'X-Api-Key': sentinel('step'), Cookie: `a=${sentinel('step-cookie')}` },
    Body: reference('KEPT'),
    Extract: [
      { Name: 'all', Regex: '([^]{1,1000})', Secret: true },
      { Name: 'cookie', Cookie: 'echo' },
    ],
  };
  const second = {
    Name: 'second',
    URL: '/no?x=${cookie}',
    Headers: { Authorization: `Bearer ${sentinel('step-bearer')}` },
    ExpectText: reference('KEPT'),
  };
  return { User: 'me', Password: sentinel('step-password'), Steps: [first, second] };
}

function tcpDevices(at: string): readonly NewDevice[] {
  const keptSecret = reference('KEPT');
  return [
    {
      Method: 'TCP',
      URL: at,
      Options: { Steps: [{ Expect: '220' }, { Send: `${keptSecret}\n`, Expect: keptSecret }] },
    },
    {
      Method: 'TCP',
      URL: at,
      Options: { Steps: [{ Send: `${keptSecret}\n`, Expect: `other ${keptSecret}` }] },
    },
  ];
}

function snmpDevices(at: string): readonly NewDevice[] {
  const keys = { AuthKey: sentinel('auth-key'), PrivKey: reference('KEPT') };
  return [
    { Method: 'SNMP', URL: at, Options: { Community: sentinel('community') } },
    { Method: 'SNMP', URL: at, Options: { Version: 'v1', Community: reference('KEPT') } },
    { Method: 'SNMP', URL: at, Options: { Version: 'v3', User: 'me', ...keys } },
  ];
}

function directoryDevices(at: string): readonly NewDevice[] {
  return [
    { Method: 'LDAP', URL: `ldap://me:${sentinel('url')}@${at}` },
    { Method: 'LDAP', URL: at, Options: { User: 'me', Password: sentinel('options') } },
    { Method: 'LDAP', URL: at, Options: { User: 'me', Password: reference('KEPT'), Base: 'dc=x' } },
  ];
}

function radiusDevices(at: string): readonly NewDevice[] {
  return [
    { Method: 'RADIUS', URL: at, Options: { Secret: sentinel('shared-secret') } },
    { Method: 'RADIUS', URL: `radius://me:${sentinel('url')}@${at}`, Options: { Secret: reference('KEPT') } },
  ];
}

function scriptDevices(web: string, tcp: string): readonly NewDevice[] {
  const [host, port] = tcp.split(':');
  return [
    { Method: 'Script', URL: `log(secret('KEPT')); throw new Error(secret('KEPT') + secret('ODD'))` },
    {
      Method: 'Script',
      URL: `const password = secret('ODD'); await step(password, async () => {
        log(await http({ url: 'http://${web}/yes', headers: { 'X-Api-Key': password } }));
        await pop3({ host: '${host}', port: ${port}, user: 'me', password: secret('KEPT') });
      });`,
    },
  ];
}
