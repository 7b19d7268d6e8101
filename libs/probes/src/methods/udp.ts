import { resultCode } from '@vantage/domain';
import { boundedText } from '@vantage/kernel';
import { z } from 'zod';
import { quoteShort, showSeconds } from '../contract/display.ts';
import { notMet } from '../contract/failure.ts';
import { ipFamilyOption, slowMsOption } from '../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../contract/probe.ts';
import { parseTarget } from '../contract/target.ts';
import type { Datagrams } from '../net/datagrams.ts';
import { firstAnswering, noAnswer } from '../net/first-answering.ts';
import { expectedBytes, fromHex, hexText, regexText } from '../search/expected-bytes.ts';
import { textSearch } from '../search/text-search.ts';

const count = (items: readonly unknown[]) => items.filter((item) => item !== undefined).length;

const options = z
  .strictObject({
    Send: boundedText(16_384, 1)
      .optional()
      .describe('Text to send, as it stands. Without Send and SendHex an empty datagram is sent.'),
    SendHex: hexText.optional().describe('Bytes to send, hexadecimal.'),
    ExpectText: boundedText(4096, 1).optional().describe('Text that the answer must contain.'),
    ExpectHex: hexText.optional().describe('Bytes that the answer must contain, hexadecimal.'),
    ExpectRegex: regexText.optional().describe('Regular expression that the answer must match.'),
    AnswerRequired: z
      .boolean()
      .default(true)
      .describe(
        'false: silence is good too, for servers that never answer. Only a refusal (ICMP port unreachable) then fails the check.',
      ),
    SlowMs: slowMsOption,
    IPFamily: ipFamilyOption,
  })
  .refine(({ Send, SendHex }) => count([Send, SendHex]) < 2, {
    path: ['SendHex'],
    message: 'must not be set with Send',
  })
  .refine(({ ExpectText, ExpectHex, ExpectRegex }) => count([ExpectText, ExpectHex, ExpectRegex]) < 2, {
    path: ['ExpectText'],
    message: 'must be the only one of ExpectText, ExpectHex and ExpectRegex',
  })
  .refine(
    ({ AnswerRequired, ExpectText, ExpectHex, ExpectRegex }) =>
      AnswerRequired || count([ExpectText, ExpectHex, ExpectRegex]) === 0,
    { path: ['AnswerRequired'], message: 'must be true where an answer is expected' },
  );

type UdpOptions = z.output<typeof options>;

/** The wait for a refusal where no answer is required, milliseconds. It takes one round trip. */
const maxRefusalMs = 1000;

/**
 * UDP: sends a datagram and judges the answer. Silence proves nothing, because filters are silent too, so an answer is
 * required by default.
 */
export const udp: Probe<'UDP', typeof options> = {
  method: 'UDP',
  purpose:
    'Sends a datagram to a port, again after 1, 2, 4 … s of silence. The check is good when an answer comes and has what `Options` expect. With `AnswerRequired` false silence is good too, and only a refused port fails.',
  example: {
    URL: 'game.example.com:27015',
    ShortName: 'game-1',
    Options: { SendHex: 'ff ff ff ff 54', ExpectHex: 'ff ff ff ff' },
  },
  optionsCase: 'udp',
  tracePackets: 'udp',
  options,
  secretOptions: [],
  scriptFunctions: {
    udp: {
      description: 'Sends a datagram and waits for an answer.',
      target: 'host and port',
      result: {
        received: { type: 'string', description: 'The answer as Latin-1: a character for each byte.' },
      },
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { udp: 0 },
      scheme: 'udp',
      accepts: 'host:port, [v6]:port or udp://host:port, for example game.example.org:27015',
    }),

  async run(context, target, settings) {
    if (settings.ExpectRegex !== undefined) textSearch.prepare();
    const { host, port } = target;
    return firstAnswering(context, { host, port, family: settings.IPFamily }, (datagrams, limitMs) =>
      exchange(context, datagrams, settings, limitMs),
    );
  },
};

async function exchange(
  context: ProbeContext,
  datagrams: Datagrams,
  settings: UdpOptions,
  limitMs: number,
): Promise<ProbeOutcome> {
  const { Send, SendHex, ExpectText: text, ExpectHex: hex, ExpectRegex: regex, AnswerRequired } = settings;
  const request = SendHex === undefined ? Buffer.from(Send ?? '', 'utf8') : fromHex(SendHex);
  const waitMs = AnswerRequired ? limitMs : Math.min(maxRefusalMs, context.timeoutMs / 2);
  const answer = await datagrams.ask(request, (message) => message, waitMs);
  if (answer === undefined) {
    if (AnswerRequired) throw noAnswer(datagrams);
    // The wait is no time of the server.
    context.stopwatch.conclude('ttfb', 0);
    const within = `within ${showSeconds(waitMs)}`;
    return outcome(datagrams, `sent to ${datagrams.peer}, no answer and no refusal ${within}`, '');
  }
  const received = answer.toString('latin1');
  context.diagnostics('Answer', received);
  const expected = expectedBytes({ text, hex, regex }, context);
  if (expected && (await expected.find(answer)) === undefined)
    throw notMet(`expected ${expected.shown}, got ${quoteShort(received)}`);
  const shown = answer.length === 1 ? '1 byte' : `${answer.length} bytes`;
  return outcome(datagrams, `${datagrams.peer} answered with ${shown}`, received);
}

function outcome(datagrams: Datagrams, text: string, received: string): ProbeOutcome {
  return {
    code: resultCode.ok,
    text,
    dataSize: datagrams.received,
    extended: {},
    answer: () => ({ received }),
  };
}
