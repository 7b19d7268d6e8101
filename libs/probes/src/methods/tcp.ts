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
import { regexProblem } from '../search/compile-regex.ts';
import { notSearched, searchText, textSearch } from '../search/text-search.ts';

const hex = boundedText(16_384)
  .regex(/^\s*([0-9a-fA-F]{2}\s*)+$/, 'must be pairs of hexadecimal digits such as 0d 0a')
  .optional();

const step = z
  .strictObject({
    Send: boundedText(16_384, 1)
      .optional()
      .describe('Text to send, as it stands (a line needs its own \\r\\n).'),
    SendHex: hex.describe('Bytes to send, hexadecimal.'),
    Expect: boundedText(4096, 1).optional().describe('Text that the answer must contain.'),
    ExpectHex: hex.describe('Bytes that the answer must contain, hexadecimal.'),
    ExpectRegex: boundedText(1000, 1)
      .refine((pattern) => regexProblem(pattern) === undefined, 'must be a regular expression such as ^OK')
      .optional()
      .describe('Regular expression that the answer must match.'),
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

/** The time of all searches for the pattern of a step, milliseconds. */
const maxSearchMs = 1000;
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
    const expected = expectationOf(step, context);
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

interface TcpExpectation {
  readonly shown: string;
  /** The index after the match; undefined if there is none. */
  find(bytes: Buffer): Promise<number | undefined>;
}

function expectationOf(
  { Expect, ExpectHex, ExpectRegex }: TcpStep,
  { clock, signal }: Pick<ProbeContext, 'clock' | 'signal'>,
): TcpExpectation | undefined {
  const containing = (shown: string, pattern: Buffer): TcpExpectation => ({
    shown,
    async find(bytes) {
      const found = await searchText(bytes.toString('latin1'), pattern.toString('latin1'), signal);
      if (found.kind === 'match') return found.index + found.length;
      if (found.kind === 'none') return undefined;
      throw notSearched(found, shown, 'answer');
    },
  });
  if (Expect !== undefined) return containing(quoteShort(Expect), Buffer.from(Expect, 'utf8'));
  if (ExpectHex !== undefined) return containing(`hex ${ExpectHex}`, fromHex(ExpectHex));
  if (ExpectRegex === undefined) return undefined;
  let searchedMs = 0;
  return {
    shown: `/${ExpectRegex}/`,
    async find(bytes) {
      const startedMs = clock.monoMs();
      const text = bytes.toString('latin1');
      const found = await textSearch.run({ kind: 'regex', pattern: ExpectRegex, text }, signal);
      if (found.kind === 'match') return found.index + found.length;
      searchedMs += clock.monoMs() - startedMs;
      if (found.kind !== 'none') throw notSearched(found, `/${ExpectRegex}/`, 'answer');
      // An answer that arrives byte by byte is searched many times.
      if (searchedMs > maxSearchMs) throw notSearched({ kind: 'runaway' }, `/${ExpectRegex}/`, 'answer');
      return undefined;
    },
  };
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
async function meet(answer: TcpAnswer, expected: TcpExpectation, step: number): Promise<void> {
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

function fromHex(text: string): Buffer {
  return Buffer.from(text.replace(/\s+/g, ''), 'hex');
}
