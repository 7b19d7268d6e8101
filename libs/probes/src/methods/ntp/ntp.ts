import { type MeasuredValue, resultCode } from '@vantage/domain';
import { z } from 'zod';
import { Failure, notMet } from '../../contract/failure.ts';
import { ipFamilyOption, slowMsOption } from '../../contract/options.ts';
import type { Probe, ProbeContext, ProbeOutcome } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import type { Datagrams } from '../../net/datagrams.ts';
import { firstAnswering, noAnswer } from '../../net/first-answering.ts';
import { clockOffset, kissOf, type NtpAnswer, ntpRequest, readNtpAnswer } from './ntp-packet.ts';

const options = z.strictObject({
  ProtocolVersion: z.int().min(3).max(4).default(4).describe('Version of NTP in the request: 3 or 4.'),
  MaxOffsetMs: z
    .number()
    .min(0.001)
    .max(86_400_000)
    .optional()
    .describe(
      "The server's clock may differ from the clock of the agent's machine by at most this many milliseconds. The clock of that machine must be right itself.",
    ),
  MaxStratum: z
    .int()
    .min(1)
    .max(15)
    .default(15)
    .describe('Greatest stratum: 1 has a reference clock, 2 follows a server of stratum 1.'),
  MaxRootDispersionMs: z
    .number()
    .min(0)
    .max(86_400_000)
    .optional()
    .describe("The server's own estimate of its error may be at most this many milliseconds."),
  SlowMs: slowMsOption,
  IPFamily: ipFamilyOption,
});

type NtpOptions = z.output<typeof options>;

/** NTP (RFC 5905): asks a time server as a client, and judges its clock. */
export const ntp: Probe<'NTP', typeof options> = {
  method: 'NTP',
  purpose:
    "Asks a time server for its time. The check is good when the server's clock is synchronised and is as `Options` expect. The values are its offset from the clock of the agent's machine, its stratum, root delay and root dispersion. An agent whose own clock is wrong sees a wrong offset.",
  example: { URL: 'ntp://192.0.2.123', ShortName: 'ntp-1', Options: { MaxOffsetMs: 50, MaxStratum: 3 } },
  optionsCase: 'ntp',
  tracePackets: 'udp',
  options,
  secretOptions: [],
  scriptFunctions: {
    ntp: {
      description: 'Asks a time server.',
      target: 'host and port',
      result: {
        offsetMs: { type: 'number', description: "Positive: the server's clock is ahead of the agent's." },
        stratum: { type: 'number' },
      },
    },
  },
  parseTarget: (url) =>
    parseTarget(url, {
      schemes: { ntp: 123 },
      scheme: 'ntp',
      accepts: 'host, host:port, [v6]:port or ntp://host:port, for example ntp.example.org',
    }),

  async run(context, target, settings) {
    const { host, port } = target;
    return firstAnswering(context, { host, port, family: settings.IPFamily }, (datagrams, limitMs) =>
      exchange(context, datagrams, settings, limitMs),
    );
  },
};

async function exchange(
  context: ProbeContext,
  datagrams: Datagrams,
  settings: NtpOptions,
  limitMs: number,
): Promise<ProbeOutcome> {
  const { clock } = context;
  // Each sending has its own cookie and time, or an answer to the first would be measured from the second.
  const sentUs = new Map<string, number>();
  const send = () => {
    const request = ntpRequest(settings.ProtocolVersion);
    sentUs.set(request.cookie, clock.nowUs());
    return request.bytes;
  };
  const read = (bytes: Buffer) => {
    const receivedUs = clock.nowUs();
    const found = readNtpAnswer(bytes, receivedUs);
    const startedUs = found && sentUs.get(found.cookie);
    return found === undefined || startedUs === undefined
      ? undefined
      : { answer: found.answer, own: { sentUs: startedUs, receivedUs } };
  };
  const found = await datagrams.ask(send, read, limitMs);
  if (found === undefined) throw noAnswer(datagrams);
  const { answer, own } = found;
  if (answer.stratum === 0) throw refusal(context, answer, datagrams.peer);
  const { offsetMs, roundTripMs } = clockOffset(answer, own);
  noteAnswer(context, answer, roundTripMs);
  const faults = faultsOf(answer, offsetMs, settings);
  const failure = faults.length === 0 ? undefined : notMet(faults.join('; '));
  return {
    code: failure?.code ?? resultCode.ok,
    text: failure?.message ?? `stratum ${answer.stratum}, ${shownOffset(offsetMs)}`,
    dataSize: datagrams.received,
    extended: {},
    values: isUnsynchronised(answer) ? [] : valuesOf(answer, offsetMs),
    answer: () => ({ offsetMs: rounded(offsetMs), stratum: answer.stratum }),
  };
}

/** A kiss-o'-death, or a server that says by stratum 0 that it has no time. */
function refusal(context: ProbeContext, answer: NtpAnswer, peer: string): Failure {
  const { text, isRefusal } = kissOf(answer.referenceId);
  context.addDetail('KissCode', answer.referenceId);
  if (isRefusal) return new Failure(resultCode.protocol, `${peer} sent the kiss-o'-death ${text}`);
  return notMet(`the server's clock is not synchronised${text === '' ? '' : ` (${text})`}`);
}

const isUnsynchronised = ({ leap, stratum }: NtpAnswer) => leap === 3 || stratum > 15;

function faultsOf(answer: NtpAnswer, offsetMs: number, settings: NtpOptions): readonly string[] {
  const { stratum, rootDispersionMs } = answer;
  const { MaxOffsetMs, MaxStratum, MaxRootDispersionMs } = settings;
  if (isUnsynchronised(answer))
    return [
      `the server's clock is not synchronised (${answer.leap === 3 ? 'leap indicator 3, ' : ''}stratum ${stratum})`,
    ];
  const faults: string[] = [];
  if (stratum > MaxStratum) faults.push(`stratum is ${stratum}, at most ${MaxStratum} is expected`);
  if (MaxOffsetMs !== undefined && Math.abs(offsetMs) > MaxOffsetMs)
    faults.push(`${shownOffset(offsetMs)}, at most ${MaxOffsetMs} ms are expected`);
  if (MaxRootDispersionMs !== undefined && rootDispersionMs > MaxRootDispersionMs)
    faults.push(
      `root dispersion is ${rounded(rootDispersionMs)} ms, at most ${MaxRootDispersionMs} ms are expected`,
    );
  return faults;
}

function shownOffset(offsetMs: number): string {
  const amount = Math.abs(rounded(offsetMs));
  const direction = offsetMs < 0 ? 'behind' : 'ahead of';
  return `the server's clock is ${amount} ms ${direction} the clock of this agent's machine`;
}

const leaps = ['none', 'the day ends with 61 s', 'the day ends with 59 s', 'not synchronised'];

function noteAnswer(context: ProbeContext, answer: NtpAnswer, roundTripMs: number): void {
  const { referenceUs } = answer;
  context.addDetail('NTP', {
    Version: answer.version,
    Leap: leaps[answer.leap] ?? null,
    ReferenceId: answer.referenceId,
    PrecisionMs: rounded(2 ** answer.precision * 1000),
  });
  // They differ in every check, and good checks with equal facts share them.
  context.diagnostics('Exchange', {
    LastSet: referenceUs === undefined ? null : new Date(Math.round(referenceUs / 1000)).toISOString(),
    RoundTripMs: rounded(roundTripMs),
  });
}

function valuesOf(answer: NtpAnswer, offsetMs: number): readonly MeasuredValue[] {
  return [
    { Label: 'offset', Value: rounded(offsetMs), Unit: 'ms' },
    { Label: 'stratum', Value: answer.stratum, Unit: '' },
    { Label: 'root delay', Value: rounded(answer.rootDelayMs), Unit: 'ms' },
    { Label: 'root dispersion', Value: rounded(answer.rootDispersionMs), Unit: 'ms' },
  ];
}

/** Whole microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000 + 0;
}
