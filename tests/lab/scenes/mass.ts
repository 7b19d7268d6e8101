import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { type LabFixture, until } from '../lab-fixture.ts';
import { leftOutOf, namedIn } from '../mail-content.ts';
import { addresses } from '../network.ts';
import { p50p99, quantile } from '../percentiles.ts';
import type { Scene } from '../scene.ts';

const deviceCount = 2000;
/** This many messages to a contact within a minute are sent singly; then one a minute follows. */
const singly = 5;
const minuteMs = 60_000;
const maxListMs = 200;
/** On a machine with other work, the list may take this many times what it took before the failures. */
const calmFactor = 3;
const calmMs = 15_000;
const creators = 8;
const phaseMs = 90_000;
/**
 * Grouped e-mails leave a minute after each other; composing and sending thousands of names may differ by this much.
 */
const composeSeconds = 10;
/** All messages must have arrived after this time. */
const drainMs = 180_000;

/** All devices of an account fail within a minute of true time. */
export const massFailure: Scene = {
  shows:
    '2,000 devices fail within one minute: five e-mails singly, then one a minute that names 50 devices and counts the others; a webhook for each; GET /devices stays fast',
  fixture: { scale: 1, controllers: 1, hasSite: false },
  limitSeconds: 600,
  async play(fixture) {
    const targets = await startTargetProcess(fixture);
    const names = await createAll(fixture, targets.ports);
    const differences: string[] = [];
    const settle = async (status: string) => {
      const did = await until(async () => (await countOf(fixture, status)) === deviceCount, phaseMs);
      fixture.note(`${await countOf(fixture, status)} devices are ${status}`);
      if (!did) differences.push(`not all devices were ${status} after ${phaseMs / 1000} s`);
    };
    await settle('Up');
    const calm = measureList(fixture);
    await delay(calmMs);
    const calmListMs = await calm.end();
    const measuring = measureList(fixture);
    await targets.send('stop');
    fixture.note('all targets die');
    await settle('Down');
    await untilNamed(fixture, 'device.down', names);
    const listMs = await measuring.end();
    differences.push(...mailRhythm(fixture));
    if (quantile(listMs, 0.99) >= Math.max(maxListMs, calmFactor * quantile(calmListMs, 0.99)))
      differences.push(`GET /devices takes ${quantile(listMs, 0.99).toFixed(0)} ms at p99`);
    return {
      messages: new Map(names.map((name) => [`device.down ${name}`, 1])),
      facts: {
        ...mailFacts(fixture),
        'GET /devices before': `${p50p99(calmListMs)} of ${calmListMs.length}`,
        'GET /devices meanwhile': `${p50p99(listMs)} of ${listMs.length}`,
      },
      differences,
    };
  },
};

/** A summary of the e-mails. In shadow there are none. */
function mailFacts(fixture: LabFixture): Record<string, string | number> {
  if (fixture.shadow !== undefined) return {};
  return {
    'e-mails about 2,000 outages': fixture.mail.mails.length,
    'devices named in each e-mail': fixture.mail.mails.map((mail) => namedIn(mail).length).join(', '),
    'devices counted in each e-mail besides': fixture.mail.mails.map(leftOutOf).join(', '),
    'seconds between the e-mails': gaps(fixture).join(', '),
  };
}

/** Seconds from each e-mail to the next one. */
function gaps({ mail }: LabFixture): number[] {
  return mail.mails.slice(1).map(({ atMs }, i) => Math.round((atMs - (mail.mails[i]?.atMs ?? 0)) / 1000));
}

/**
 * The first e-mails have one device each; each further one leaves a minute after the one before. In shadow nothing is
 * grouped, as nothing leaves.
 */
function mailRhythm(fixture: LabFixture): string[] {
  if (fixture.shadow !== undefined) return [];
  const counts = fixture.mail.mails.map((mail) => namedIn(mail).length);
  const early = counts.slice(0, singly).filter((count) => count !== 1);
  const close = gaps(fixture)
    .slice(singly)
    .filter((seconds) => seconds < minuteMs / 1000 - composeSeconds);
  return [
    ...(early.length === 0 ? [] : [`${early.length} of the first ${singly} e-mails name several devices`]),
    ...(close.length === 0 ? [] : [`grouped e-mails came ${close.join(', ')} s after the one before`]),
  ];
}

async function untilNamed(fixture: LabFixture, type: string, names: readonly string[]): Promise<void> {
  await until(async () => {
    const named = new Set(fixture.mail.mails.flatMap(namedIn));
    const counted = fixture.mail.mails.reduce((sum, mail) => sum + leftOutOf(mail), 0);
    const hooked = fixture.hooks.hooks.filter((hook) => hook.type === type).length;
    return named.size + counted >= names.length && hooked >= names.length;
  }, drainMs);
  fixture.note(`${fixture.hooks.hooks.length} webhooks and ${fixture.mail.mails.length} e-mails arrived`);
}

async function startTargetProcess({ network }: LabFixture) {
  const script = path.join(import.meta.dirname, '../target-process.ts');
  const child = spawn('ip', network.on('w', process.execPath, script, addresses.web, String(deviceCount)), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [first] = z.tuple([z.string()]).parse(await once(lines, 'line'));
  return {
    ports: z.array(z.number()).parse(JSON.parse(first)),
    async send(line: string) {
      child.stdin.write(`${line}\n`);
      await once(lines, 'line');
    },
  };
}

async function createAll(fixture: LabFixture, ports: readonly number[]): Promise<readonly string[]> {
  const left = [...ports.entries()];
  const names: string[] = [];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [i, port] = next;
      const ShortName = `m-${i}`;
      names.push(ShortName);
      await fixture.api.ok('POST', '/devices', {
        Method: 'TCP',
        URL: `${addresses.web}:${port}`,
        ShortName,
        Frequency: 1,
        Timeout: 5,
        Retries: 2,
        RetryDelay: 1,
        Locations: [i % 2 === 0 ? 'A' : 'B'],
      });
    }
  };
  await Promise.all(Array.from({ length: creators }, work));
  fixture.note(`${names.length} devices are made`);
  return names;
}

async function countOf({ api }: LabFixture, status: string): Promise<number> {
  const { headers } = await api.call('GET', `/devices?Filter=${status}&Limit=1`);
  return Number(headers['x-total-count']);
}

/** Reads the list of devices four times a second until `end`, and answers with the times that it took. */
function measureList({ api }: LabFixture): { end(): Promise<readonly number[]> } {
  const times: number[] = [];
  let isEnding = false;
  const loop = async () => {
    while (!isEnding) {
      const from = performance.now();
      await api.ok('GET', '/devices?Limit=100');
      times.push(performance.now() - from);
      await delay(250);
    }
  };
  const running = loop();
  return {
    async end() {
      isEnding = true;
      await running;
      return times;
    },
  };
}
