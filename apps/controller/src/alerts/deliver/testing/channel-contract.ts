import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Channel, Notice } from '../../channels/channel.ts';
import type { AttemptOutcome } from '../notification-state.ts';

/** Parts of secrets that no answer and no message may contain. */
export const sentinels = ['Sentinel-login-5d1', 'Sentinel-path-9e7', 'Sentinel-key-c3b'] as const;

/** How the other side behaves. */
export type Behaviour =
  | 'delivers'
  | 'refuses connections'
  | 'refuses the message for now'
  | 'asks to wait an hour'
  | 'is gone'
  | 'is silent'
  | 'resets the connection'
  | 'redirects';

/** A channel with an endpoint that behaves in one way. */
export interface ContractEndpoint extends AsyncDisposable {
  readonly channel: Channel;
  /** With credentials, where the type of contact has them. */
  readonly address: string;
  readonly secret: string | null;
  /** Of the contact. */
  readonly options?: unknown;
  /** The messages that the endpoint received. */
  readonly received: () => readonly string[];
}

/** A notice with every field. */
export const fullNotice: Notice = {
  kind: 'device.down',
  timestamp: '2026-11-22T08:00:00+01:00',
  composed: '2026-11-22T08:03:00+01:00',
  timezone: 'Europe/Oslo',
  data: {
    alert_id: 'a'.repeat(48),
    device_id: 'd'.repeat(48),
    ShortName: 'web',
    FullName: 'Web server',
    Method: 'HTTP',
    URL: 'https://me:***@www.example.org/',
    Status: 'Down',
    Since: '2026-11-22T08:00:00+01:00',
    CheckResult: 'HTTP 500',
    Location: 'Oslo',
    Severity: 'critical',
  },
  links: {
    acknowledge: 'https://vantage.example/links/a',
    snooze: 'https://vantage.example/links/s',
    details: 'https://vantage.example/links/d',
  },
  day: ['Up', 'Up', 'Unknown', 'Maint', 'Down'],
};

/** The first line of a text about `fullNotice`. */
export const fullNoticeHeadline = 'web is Down: HTTP 500. Down for 3 min, since 08:00:00 CET.';

/** The facts of `fullNotice` as texts for people list them. */
export const fullNoticeLines: readonly string[] = [
  'What: Web server (web), HTTP https://me:***@www.example.org/, severity critical',
  'From where: fails from Oslo',
];

/** The links of `fullNotice` as a text has them. */
export const fullNoticeLinks: readonly string[] = [
  'Acknowledge: https://vantage.example/links/a',
  'Snooze: https://vantage.example/links/s',
  'Details: https://vantage.example/links/d',
];

const kinds: Readonly<Record<Behaviour, AttemptOutcome['kind'] | 'time is over'>> = {
  delivers: 'delivered',
  'refuses connections': 'again',
  'refuses the message for now': 'again',
  'asks to wait an hour': 'again',
  'is gone': 'gone',
  'is silent': 'time is over',
  'resets the connection': 'again',
  redirects: 'again',
};

/**
 * The suite that every channel passes. `serve` starts an endpoint; it returns a reason where its protocol does not have
 * the behaviour. Nothing in an outcome contains one of `sentinels`, of which the endpoint's address and secret are
 * made.
 */
export function channelContract(
  name: string,
  serve: (behaviour: Behaviour) => Promise<ContractEndpoint | string>,
): void {
  describe(`the channel ${name} keeps the contract of channels`, () => {
    test.each(Object.entries(kinds))('an endpoint that %s: %s', async (text, kind) => {
      const behaviour = behaviourOf(text);
      const served = await serve(behaviour);
      if (typeof served === 'string') return expect(served).toMatch(/^no /);
      await using endpoint = served;
      const outcome = await sendOnce(endpoint, behaviour === 'is silent' ? 300 : 9_000);
      // Mail servers refuse for good and for a moment by the same answers.
      expect(outcome.kind === 'refused' ? 'gone' : outcome.kind).toBe(kind);
      if (outcome.kind === 'time is over') return;
      expect(outcome.text).not.toBe('');
      for (const sentinel of sentinels) expect(inspect(outcome)).not.toContain(sentinel);
      if (behaviour === 'refuses connections') expect(outcome.text).toContain('refuses the connection');
      if (behaviour === 'asks to wait an hour') expect(outcome).toMatchObject({ retryAfterMs: 3_600_000 });
      if (behaviour === 'delivers') expect(endpoint.received()).toHaveLength(1);
    });

    test('two attempts send the same id, and a composed message contains no secret', async () => {
      const served = await serve('delivers');
      if (typeof served === 'string') throw new Error(served);
      await using endpoint = served;
      await sendOnce(endpoint, 9_000);
      await sendOnce(endpoint, 9_000);
      const received = endpoint.received();
      expect(received).toHaveLength(2);
      for (const message of received) expect(message).toContain(sampleId);
      const composed = JSON.stringify(endpoint.channel.compose([fullNotice], endpoint.options));
      for (const sentinel of sentinels) expect(composed).not.toContain(sentinel);
    });
  });
}

const sampleId = 'e'.repeat(48);

async function sendOnce(
  { channel, address, secret, options }: ContractEndpoint,
  limitMs: number,
): Promise<AttemptOutcome | { readonly kind: 'time is over' }> {
  const signal = AbortSignal.timeout(limitMs);
  const message = channel.compose([fullNotice], options);
  const to = { name: 'noc', address, secret, previousSecret: null };
  try {
    return await channel.send({ id: sampleId, message, to, nowUs: Date.now() * 1000 }, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { kind: 'time is over' };
  }
}

function behaviourOf(text: string): Behaviour {
  const known: readonly Behaviour[] = [
    ...(['delivers', 'refuses connections', 'refuses the message for now', 'asks to wait an hour'] as const),
    ...(['is gone', 'is silent', 'resets the connection', 'redirects'] as const),
  ];
  const found = known.find((behaviour) => behaviour === text);
  if (found === undefined) throw new Error(`${text} is no behaviour`);
  return found;
}
