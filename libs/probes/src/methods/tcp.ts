import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import type { Connection } from '../contract/dial.ts';
import { quoteShort } from '../contract/display.ts';
import { Failure, notMet } from '../contract/failure.ts';
import {
  dscpOption,
  ipFamilyOption,
  slowMsOption,
  sourceAddressOption,
  tlsOptionsWithoutStart,
  tlsSecretOptions,
} from '../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../contract/probe.ts';
import { parseTarget } from '../contract/target.ts';
import { type Dialogue, openDialogue } from '../dialogue/dialogue.ts';
import { type ExpectedBytes, expectedBytes, fromHex, hexText, regexText } from '../search/expected-bytes.ts';
import { textSearch } from '../search/text-search.ts';

const step = z
  .strictObject({
    Send: boundedText(16_384, 1)
      .optional()
      .describe('Text to send, as it stands (a line needs its own \\r\\n).'),
    SendHex: hexText.optional().describe('Bytes to send, hexadecimal.'),
    Expect: boundedText(4096, 1).optional().describe('Text that the answer must contain.'),
    ExpectHex: hexText.optional().describe('Bytes that the answer must contain, hexadecimal.'),
    ExpectRegex: regexText.optional().describe('Regular expression that the answer must match.'),
  })
  .refine(
    ({ Send, SendHex }) => Send === undefined || SendHex === undefined,
    'must hold Send or SendHex, not both',
  )
  .refine(
    ({ Expect, ExpectHex, ExpectRegex }) =>
      [Expect, ExpectHex, ExpectRegex].filter((expected) => expected !== undefined).length <= 1,
    'must hold only one of Expect, ExpectHex and ExpectRegex',
  );

const options = z.strictObject({
  TLS: tlsOptionsWithoutStart,
  Steps: z
    .array(step)
    .max(50)
    .default([])
    .describe('The dialogue after the connect: each step sends, then expects.'),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
  SourceAddress: sourceAddressOption,
  DSCP: dscpOption,
});

type TcpStep = z.output<typeof step>;

/** Tab, line feed, carriage return, blank. */
const blanks = [9, 10, 13, 32];
const maxSearchedBytes = 64 * 1024;

const received = {
  received: { type: 'string', description: 'All that was received while the steps ran.' },
};

/** TCP: connects, and sends and expects bytes if there are `Steps`. Without steps an accepted connection is good. */
export const tcp: Probe<'TCP', typeof options> = {
  method: 'TCP',
  purpose: 'Connects to a port, and has a dialogue of texts or bytes where there are `Steps`.',
  example: {
    URL: 'redis.example.com:6379',
    ShortName: 'redis-1',
    Options: { Steps: [{ Send: 'PING\r\n', Expect: '+PONG' }] },
  },
  optionsCase: 'tcp',
  tracePackets: 'tcp',
  options,
  secretOptions: tlsSecretOptions,
  scriptFunctions: {
    tcp: { description: 'Connects and, with `steps`, talks.', target: 'host and port', result: received },
    tls: {
      description:
        'Like tcp(), under TLS from the start; the TLS settings are parameters like host and port.',
      target: 'host and port',
      result: received,
      implicitTls: true,
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { tcp: 0, tls: 0 },
      scheme: 'tcp',
      accepts: 'host:port, [v6]:port, tcp://host:port or tls://host:port, for example db.example.org:5432',
    }),

  async run(context, target, settings) {
    if (settings.Steps.some(({ ExpectRegex }) => ExpectRegex !== undefined)) textSearch.prepare();
    const implicit = (settings.TLS.Mode ?? (target.scheme === 'tls' ? 'Implicit' : 'None')) === 'Implicit';
    const connection = await context.dial.connect(context, {
      host: target.host,
      port: target.port,
      family: settings.IPFamily,
      source: settings.SourceAddress,
      dscp: settings.DSCP,
      tls: implicit ? { settings: settings.TLS } : undefined,
    });
    if (settings.Steps.length > 0) return await runSteps(context, connection, settings.Steps);
    return {
      code: resultCode.ok,
      text: `connected to ${connection.peer}`,
      dataSize: 0,
      extended: {},
      answer: emptyAnswer,
    };
  },
};

const emptyAnswer = () => ({ received: '' });

/** Sends and expects, step by step. Not in `run`, so that a check that only connects needs less memory. */
async function runSteps(
  context: ProbeContext,
  connection: Connection,
  steps: readonly TcpStep[],
): Promise<ProbeOutcome> {
  const [first] = steps;
  const speaksFirst = first?.Send === undefined && first?.SendHex === undefined ? 'server' : 'client';
  using dialogue = openDialogue(context, connection, { text: false, speaksFirst });
  const answer: TcpAnswer = { bytes: Buffer.alloc(0), received: [], dialogue };
  for (const [index, step] of steps.entries()) {
    await send(dialogue, step);
    const { Expect: text, ExpectHex: hex, ExpectRegex: regex } = step;
    const expected = expectedBytes({ text, hex, regex }, context);
    if (expected) await meet(answer, expected, index + 1);
  }
  return {
    code: resultCode.ok,
    text: `${connection.peer} answered as expected in ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`,
    dataSize: dialogue.received,
    extended: {},
    answer: () => ({ received: Buffer.concat(answer.received).toString('utf8') }),
  };
}

async function send(dialogue: Dialogue, { Send, SendHex }: TcpStep): Promise<void> {
  if (Send !== undefined) await dialogue.write(Buffer.from(Send, 'utf8'), Send);
  if (SendHex !== undefined) await dialogue.write(fromHex(SendHex), `hex ${SendHex}`);
}

interface TcpAnswer {
  /** Bytes that were read and not yet used by a step. */
  bytes: Buffer;
  /** All bytes, for a script. */
  readonly received: Buffer[];
  readonly dialogue: Dialogue;
}

/**
 * Reads until the expectation is met. An answer that ends, or pauses until the timeout, before that is code 7. No
 * answer is code 2 or 3.
 */
async function meet(answer: TcpAnswer, expected: ExpectedBytes, step: number): Promise<void> {
  const missed = () =>
    notMet(`step ${step}: expected ${expected.shown}, got ${quoteShort(answer.bytes.toString('latin1'))}`);
  while (true) {
    const after = answer.bytes.length === 0 ? undefined : await expected.find(answer.bytes);
    if (after !== undefined) {
      answer.bytes = answer.bytes.subarray(after);
      return;
    }
    if (answer.bytes.length >= maxSearchedBytes) throw missed();
    try {
      const some = await answer.dialogue.readSome();
      answer.received.push(some);
      answer.bytes = Buffer.concat([answer.bytes, some]);
    } catch (error) {
      const reset = error instanceof Failure && error.reason === 'reset';
      // The end of a line, left over by the step before, is no answer to this one.
      const hasAnswer = answer.bytes.some((byte) => !blanks.includes(byte));
      if (hasAnswer && !reset) throw missed();
      throw error;
    }
  }
}
