import type { Json, MeasuredValue } from '@vantage/domain';
import { resultCode } from '@vantage/domain';
import {
  type IcmpSocket,
  icmpSockets,
  type PingAnswer,
  type SendingOptions,
  type SharedIcmp,
} from '@vantage/icmp';
import { z } from 'zod';
import type { Address } from '../../contract/dial.ts';
import { showSeconds } from '../../contract/display.ts';
import { dscpOf } from '../../contract/dscp.ts';
import { Failure, networkFailure, notMet } from '../../contract/failure.ts';
import { dscpOption, ipFamilyOption, slowMsOption, sourceAddressOption } from '../../contract/options.ts';
import type { Probe, ProbeContext } from '../../contract/probe.ts';
import { parseTarget } from '../../contract/target.ts';
import { withSource } from '../../net/source-address.ts';
import { findPathMtu } from './find-path-mtu.ts';
import { runSeries } from './ping-series.ts';
import { type PingStatistics, showFigure, summarise, unmetLimit } from './ping-statistics.ts';

const options = z.strictObject({
  Count: z.int().min(1).max(100).default(3).describe('Packets to send.'),
  Size: z.int().min(0).max(65_507).default(56).describe('Bytes of payload in each packet.'),
  IntervalMs: z
    .int()
    .min(10)
    .max(10_000)
    .default(200)
    .describe(
      'Milliseconds from one packet to the next; less where the timeout would cut the last ones off.',
    ),
  MaxLossPercent: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('More loss than this is a failed expectation; default: one answer is enough.'),
  MaxRTTMs: z
    .number()
    .min(0.001)
    .max(120_000)
    .optional()
    .describe('A longer mean round-trip time than this is a failed expectation.'),
  IPFamily: ipFamilyOption,
  SlowMs: slowMsOption,
  TTL: z
    .int()
    .min(1)
    .max(255)
    .optional()
    .describe("Time to live (hop limit) of the packets; default: the system's own."),
  SourceAddress: sourceAddressOption,
  DSCP: dscpOption,
  DontFragment: z
    .boolean()
    .default(false)
    .describe(
      'Neither the agent nor a router may fragment the packets. If they are too big for the path, the check fails and names the path MTU.',
    ),
  MaxJitterMs: z
    .number()
    .min(0)
    .max(120_000)
    .optional()
    .describe('More jitter (mean difference of successive round trips) is a failed expectation.'),
  MinMOS: z
    .number()
    .min(1)
    .max(4.4)
    .optional()
    .describe(
      'A lower mean opinion score (1 to 4.4, ITU-T G.107 from delay, jitter and loss) is a failed expectation. With it or MaxJitterMs, jitter, loss and MOS are values of the check.',
    ),
});

type PingOptions = z.output<typeof options>;

/** The time between the last answer and the timeout of the check, milliseconds. */
const reserveMs = 10;

/**
 * PING: ICMP echo. The mean round-trip time, measured by the kernel, is TTFB. Loss, extremes and jitter are in the
 * extended data. Loss is judged by the Options; a host that answers nothing is code 2.
 */
export const ping = createPing({ sockets: icmpSockets });

/** Creates the probe over a process's ICMP sockets. */
export function createPing(deps: { readonly sockets: SharedIcmp }): Probe<'PING', typeof options> {
  return {
    method: 'PING',
    purpose: 'Sends ICMP echo requests. The check is good when enough of them are answered in time.',
    example: { URL: '192.0.2.1', ShortName: 'gw-1', Options: { Count: 5, MaxLossPercent: 20 } },
    optionsCase: 'ping',
    tracePackets: 'icmp',
    options,
    secretOptions: [],
    scriptFunctions: {
      ping: { description: 'Sends echo requests; `ms` is the mean round trip.', target: 'host' },
    },
    parseTarget: (url) =>
      parseTarget(url, {
        schemes: { ping: undefined },
        scheme: 'ping',
        accepts: 'host or ping://host, for example www.example.org',
      }),

    async run(context, target, settings) {
      const startedMs = context.clock.monoMs();
      const resolved = await context.dial.resolve(context, target.host, settings.IPFamily);
      const permitted = context.dial.permitted(context, resolved, 0);
      const { SourceAddress } = settings;
      const addresses = SourceAddress === undefined ? permitted : withSource(permitted, SourceAddress);
      let failure: Failure | undefined;
      for (const address of addresses) {
        context.setPeers([{ address: address.address, port: 0 }]);
        const lease = deps.sockets.use(address.family);
        if ('error' in lease) {
          failure ??= new Failure(resultCode.agent, lease.error);
          continue;
        }
        using socketLease = lease;
        const leftMs = context.timeoutMs - (context.clock.monoMs() - startedMs) - reserveMs;
        context.stopwatch.enter('ttfb');
        const sending = sendingOf(settings, address);
        const budgetMs = Math.max(1, settings.DontFragment ? leftMs * seriesShare : leftMs);
        const { socket } = socketLease;
        const sentMs = context.clock.monoMs();
        const answers = await series(context, socket, address, { settings, sending, budgetMs });
        if (settings.DontFragment && isTooBig(answers)) {
          const endMs = startedMs + context.timeoutMs - reserveMs;
          const tooBig = await findPathMtu({
            context,
            socket,
            address,
            size: settings.Size,
            sending,
            answers,
            endMs,
          });
          failure ??= tooBig;
          if (tooBig !== undefined) continue;
        }
        const unsent = answers.find((answer) => answer.kind === 'unsent');
        const waitedMs = settings.DontFragment ? context.clock.monoMs() - sentMs : budgetMs;
        if (!unsent) return judge(context, address, answers, settings, waitedMs);
        context.stopwatch.conclude('ttfb', 0);
        failure ??= unsentFailure(unsent.code, address.address);
      }
      throw failure ?? new Failure(resultCode.agent, `no address of ${target.host} can be pinged`);
    },
  };
}

function series(
  context: ProbeContext,
  socket: IcmpSocket,
  { address }: Address,
  {
    settings,
    sending,
    budgetMs,
  }: { readonly settings: PingOptions; readonly sending: SendingOptions; readonly budgetMs: number },
): Promise<readonly PingAnswer[]> {
  return runSeries({
    socket,
    clock: context.clock,
    signal: context.signal,
    address,
    count: settings.Count,
    size: settings.Size,
    intervalMs: settings.IntervalMs,
    sending,
    budgetMs,
  });
}

/** The part of the time for packets that must not be fragmented. The other part is for the search of the path MTU. */
const seriesShare = 0.6;

function sendingOf({ TTL, DSCP, DontFragment }: PingOptions, { source }: Address): SendingOptions {
  return {
    ...(TTL !== undefined && { ttl: TTL }),
    ...(DSCP !== undefined && { dscp: dscpOf(DSCP) }),
    ...(source !== undefined && { source }),
    ...(DontFragment && { dontFragment: true }),
  };
}

/** Whether the size of the packets may be why nothing answered. */
function isTooBig(answers: readonly PingAnswer[]): boolean {
  if (answers.some(({ kind }) => kind === 'reply')) return false;
  return answers.some(
    (answer) =>
      answer.kind === 'timeout' ||
      answer.kind === 'aborted' ||
      (answer.kind === 'error' && answer.reason === 'too-big') ||
      (answer.kind === 'unsent' && answer.code === 'EMSGSIZE'),
  );
}

function judge(
  context: ProbeContext,
  { address }: Address,
  answers: readonly PingAnswer[],
  settings: PingOptions,
  budgetMs: number,
) {
  const statistics = summarise(answers);
  context.addDetail('Ping', facts(statistics, answers));
  if (statistics.received === 0) {
    const error = answers.find((answer) => answer.kind === 'error');
    // TTFB is the wait up to the router's error, or the whole wait.
    context.stopwatch.conclude('ttfb', error ? error.rttMs : budgetMs);
    throw error ? errorFailure(error, address) : silence(address, statistics.sent, context.timeoutMs);
  }
  context.stopwatch.conclude('ttfb', statistics.meanMs);
  const unmet = unmetLimit(statistics, settings);
  if (unmet !== undefined) throw notMet(unmet);
  const text = `${statistics.received} of ${statistics.sent} answered, mean ${showFigure(statistics.meanMs)} ms`;
  const answer = () => ({ meanMs: statistics.meanMs, lossPercent: statistics.lossPercent });
  const measured = settings.MinMOS ?? settings.MaxJitterMs;
  return {
    code: resultCode.ok,
    text,
    dataSize: statistics.bytes,
    extended: {},
    ...(measured !== undefined && { values: valuesOf(statistics) }),
    answer,
  };
}

function valuesOf({ jitterMs, lossPercent, score }: PingStatistics): readonly MeasuredValue[] {
  return [
    { Label: 'jitter', Value: jitterMs, Unit: 'ms' },
    { Label: 'loss', Value: lossPercent, Unit: '%' },
    { Label: 'MOS', Value: score, Unit: '' },
  ];
}

function facts(statistics: PingStatistics, answers: readonly PingAnswer[]): Json {
  const replyTtls = answers.flatMap((answer) => (answer.kind === 'reply' ? [answer.ttl ?? null] : []));
  const errors = answers.flatMap((answer) =>
    answer.kind === 'error' ? [`${answer.text}, says ${answer.from || 'this machine'}`] : [],
  );
  return {
    Sent: statistics.sent,
    Received: statistics.received,
    LossPercent: statistics.lossPercent,
    MinMs: statistics.minMs,
    MeanMs: statistics.meanMs,
    MaxMs: statistics.maxMs,
    JitterMs: statistics.jitterMs,
    ...(statistics.received > 0 ? { MOS: statistics.score } : {}),
    RTTsMs: answers.map((answer) =>
      answer.kind === 'reply' ? Math.round(answer.rttMs * 1000) / 1000 : null,
    ),
    ...(replyTtls.length > 0 ? { ReplyTTL: replyTtls[0] ?? null } : {}),
    ...(errors.length > 0 ? { Errors: [...new Set(errors)] } : {}),
  };
}

function silence(address: string, sent: number, timeoutMs: number): Failure {
  const pings = sent === 1 ? '1 ping' : `${sent} pings`;
  return new Failure(
    resultCode.timeout,
    `no answer from ${address} to ${pings} within ${showSeconds(timeoutMs)}`,
  );
}

function errorFailure(error: Extract<PingAnswer, { kind: 'error' }>, address: string): Failure {
  const who = error.from === '' || error.from === address ? '' : `, says ${error.from}`;
  return new Failure(resultCode.timeout, `${address} does not answer pings: ${error.text}${who}`);
}

/** Why this machine could not send to an address. */
function unsentFailure(code: string, address: string): Failure {
  switch (code) {
    case 'ENETUNREACH':
      return new Failure(resultCode.agent, `this agent has no route to ${address}`);
    case 'EBUSY':
      return new Failure(resultCode.agent, 'this agent has too many pings in flight');
    case 'EMSGSIZE':
      return new Failure(
        resultCode.agent,
        `this agent cannot send packets of this size to ${address}: lower Size`,
      );
    case 'ENOTSUP':
      return new Failure(
        resultCode.agent,
        "this agent's system cannot set SourceAddress, DSCP or DontFragment of pings: only Linux can",
      );
    default:
      return networkFailure({ code }, address);
  }
}
