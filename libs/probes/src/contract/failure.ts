import { type ResultCode, resultCode } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { Extended, ProbeOutcome } from './probe.ts';
import { tlsWords } from './tls-words.ts';

export type FailureCode = Exclude<ResultCode, typeof resultCode.ok>;

/** A cause on which a probe decides: the peer reset the connection, or it speaks another protocol. */
type FailureReason = 'reset' | 'wrong-protocol';

/**
 * A failed check, thrown from within a dialogue up to `run.ts`: the ResultCode, a line for people and extended data.
 */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly extended: Extended;
  readonly reason: FailureReason | undefined;

  constructor(
    code: FailureCode,
    text: string,
    options: { extended?: Extended; cause?: unknown; reason?: FailureReason } = {},
  ) {
    super(text, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.extended = options.extended ?? {};
    this.reason = options.reason;
  }
}

/** A failure as the outcome of a check that received `dataSize` bytes. */
export function outcomeOf(failure: Failure, dataSize = 0): ProbeOutcome {
  return { code: failure.code, text: failure.message, dataSize, extended: failure.extended };
}

/** The `code` of a system error (`ECONNREFUSED`), or ''. */
export function systemCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/**
 * The failure for a system error in the communication with `peer` (`10.0.0.1:25`). A Failure is returned unchanged. An
 * unforeseen error is the agent's (10), so that it never counts against the device.
 */
export function networkFailure(error: unknown, peer: string): Failure {
  if (error instanceof Failure) return error;
  const failure = (code: FailureCode, text: string) => new Failure(code, text, { cause: error });
  const code = systemCode(error);
  if (/^ERR_(SSL|TLS)_/.test(code))
    return failure(
      resultCode.tls,
      `TLS with ${peer} failed: ${tlsWords({ code, message: error instanceof Error ? error.message : code })}`,
    );
  switch (code) {
    case 'ECONNREFUSED':
      return failure(resultCode.protocol, `connection refused by ${peer}`);
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return new Failure(resultCode.protocol, `connection reset by ${peer}`, {
        cause: error,
        reason: 'reset',
      });
    case 'ETIMEDOUT':
      return failure(resultCode.timeout, `no answer from ${peer}: the system gave up`);
    case 'EHOSTUNREACH':
    case 'EHOSTDOWN':
      return failure(resultCode.timeout, `host of ${peer} is unreachable`);
    case 'ENETUNREACH':
    case 'ENETDOWN':
      return failure(resultCode.timeout, `network of ${peer} is unreachable`);
    case 'EMFILE':
    case 'ENFILE':
      return failure(
        resultCode.agent,
        `this agent is out of sockets (${code}): raise its limit of open files`,
      );
    case 'ENOBUFS':
    case 'ENOMEM':
      return failure(resultCode.agent, `this agent's system is out of memory for sockets (${code})`);
    case 'EADDRNOTAVAIL':
      return failure(
        resultCode.agent,
        `this agent has no local address or port left to reach ${peer} (${code})`,
      );
    case 'EINVAL':
      return failure(resultCode.agent, `this agent's system does not route to ${peer} (${code})`);
    case 'EACCES':
    case 'EPERM':
      return failure(
        resultCode.agent,
        `this agent's own system or firewall forbids reaching ${peer} (${code})`,
      );
    default:
      return failure(resultCode.agent, `unforeseen error on the way to ${peer}: ${messageOf(error)}`);
  }
}

/** The failure for an address without a route in this machine's routing table. */
export function noRoute(address: string): Failure {
  return new Failure(resultCode.agent, `this agent has no route to ${address}`);
}

/** The failure of a connection that ended before the answer was complete. */
export function closedEarly(peer: string, instead: string): Failure {
  return new Failure(resultCode.protocol, `${peer} closed the connection ${instead}`);
}

/** The failure of an expectation set in the Options. */
export function notMet(text: string, extended: Extended = {}): Failure {
  return new Failure(resultCode.expectation, text, { extended });
}
