import type { Method } from '@vantage/domain';
import { login, ports } from '../targets.ts';

/** A device as `POST /devices` accepts it. */
export interface NewDevice {
  readonly Method: Method;
  readonly URL: string;
  readonly ShortName: string;
  readonly FullName?: string;
  readonly Frequency: number;
  readonly Timeout: number;
  readonly Retries: number;
  readonly RetryDelay: number;
  readonly Options: Readonly<Record<string, unknown>>;
}

type Target = Pick<NewDevice, 'Method' | 'URL' | 'Options'>;

const { user, password } = login;
const kept = `\${secret:PASSWORD}`;
const token = `\${secret:TOKEN}`;

/** Methods that log in with Options or with the URL, and their other Options. */
const logins = {
  SMTP: {},
  POP3: { Auth: 'USER' },
  IMAP4: { Auth: 'LOGIN' },
  NNTP: {},
  FTP: {},
  TELNET: { ExpectPrompt: '$' },
  MySQL: {},
  SSH: {},
} as const satisfies Partial<Record<Method, object>>;

/** For each Method, devices with a secret in Options, in the URL and by reference. */
const targets: readonly (readonly Target[])[] = [
  ...Object.entries(logins).map(([name, more]): readonly Target[] => {
    const Method = name as keyof typeof logins;
    const at = `127.0.0.1:${ports[Method]}`;
    return [
      { Method, URL: at, Options: { User: user, Password: password, ...more } },
      {
        Method,
        URL: `${name.toLowerCase().replace('imap4', 'imap')}://${user}:${password}@${at}`,
        Options: more,
      },
      { Method, URL: at, Options: { User: user, Password: kept, ...more } },
    ];
  }),
  [
    { Method: 'HTTP', URL: `http://${user}:${password}@127.0.0.1:${ports.HTTP}/`, Options: {} },
    { Method: 'HTTP', URL: `http://127.0.0.1:${ports.HTTP}/a`, Options: { User: user, Password: kept } },
    { Method: 'HTTP', URL: `http://127.0.0.1:${ports.HTTP}/b`, Options: { Headers: { 'X-Token': token } } },
  ],
  [
    { Method: 'TCP', URL: `127.0.0.1:${ports.TCP}`, Options: steps(token) },
    { Method: 'TCP', URL: `127.0.0.1:${ports.TCP}`, Options: steps(login.token) },
  ],
  [{ Method: 'DNS', URL: `dns://127.0.0.1:${ports.DNS}/host.example`, Options: { Expect: ['192.0.2.1'] } }],
  [{ Method: 'PING', URL: '127.0.0.1', Options: { Count: 1 } }],
  [
    {
      Method: 'Script',
      URL: `await tcp({ host: '127.0.0.1', port: ${ports.TCP}, steps: [{ send: secret('TOKEN') + '\\n', expect: 'that is it' }] });`,
      Options: {},
    },
  ],
];

function steps(value: string): Readonly<Record<string, unknown>> {
  return { Steps: [{ Send: `${value}\n`, Expect: 'that is it' }] };
}

const settings = { Frequency: 60, Timeout: 10, Retries: 2, RetryDelay: 1 } as const;

/** The ShortNames of the devices with a history; the first `frequent` devices are checked each minute. */
export const special = { down: 'down', recovered: 'back', maintained: 'd-3', frequent: 10 } as const;

/** The devices of the fixture: 198 of all Methods in turn, the first ones each minute, and two with a history. */
export function newDevices(): readonly NewDevice[] {
  const many = Array.from({ length: 198 }, (_, n): NewDevice => {
    const ways = targets[n % targets.length] ?? [];
    const target = ways[Math.floor(n / targets.length) % ways.length];
    if (!target) throw new Error('a Method has no target');
    const Frequency = n < special.frequent ? 1 : settings.Frequency;
    return {
      ...target,
      ...settings,
      Frequency,
      ShortName: `d-${n}`,
      FullName: `Device ${n} of ${target.Method}`,
    };
  });
  const closed = { ...settings, Method: 'TCP', Options: {} } as const;
  return [
    ...many,
    { ...closed, URL: '127.0.0.1:1', ShortName: special.down },
    { ...closed, URL: `127.0.0.1:${ports.late}`, ShortName: special.recovered },
  ];
}
