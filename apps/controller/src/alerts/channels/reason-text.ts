import type { Notice } from './channel.ts';
import { factText } from './fact-text.ts';
import { clockText } from './moment-text.ts';

/** The reason in one clause; undefined: none is known. */
export function whyOf(notice: Notice): string | undefined {
  const { kind, data } = notice;
  if (kind === 'acknowledged') {
    const by = factText(data['By']);
    const note = factText(data['Note']);
    if (by !== undefined) return note === undefined ? `by ${by}` : `by ${by}: ${note}`;
    return note;
  }
  if (kind === 'closed') return factText(data['Reason']);
  if (kind === 'agent.fenced') {
    const hosts = factText(data['Hosts']);
    const by = hosts === undefined ? '' : ` (${hosts})`;
    return `two processes use its identity${by}; neither may connect until it is released`;
  }
  if (kind === 'location.offline')
    return factText(data['CheckResult']) ?? factText(data['LastWords']) ?? lastHeard(notice);
  if (kind === 'interface.down') return interfaceReason(data);
  if (kind === 'interface.up') return undefined;
  // The result of a good check between two outages is no reason.
  if (kind === 'device.flapping' && data['Status'] !== 'Down') return undefined;
  return factText(data['CheckResult']);
}

/** The title has the interface and its status. */
function interfaceReason({ Missing, Downs }: Notice['data']): string | undefined {
  const reasons = [
    ...(Missing === true ? ['the device no longer has it'] : []),
    ...(typeof Downs === 'number' && Downs >= 3
      ? [`down ${Downs} times within 30 min, now until it stays up`]
      : []),
  ];
  return reasons.length === 0 ? undefined : reasons.join('; ');
}

/** The reason of an offline Location whose agents reported none. */
function lastHeard(notice: Notice): string {
  const heard = notice.data['LastHeard'];
  const noAgent = 'no agent there is connected';
  if (typeof heard !== 'object' || heard === null || !('At' in heard)) return noAgent;
  const { Agent, At, Left } = heard;
  const agent = factText(Agent) ?? 'its agent';
  if (typeof At !== 'string') return noAgent;
  const at = clockText(At, notice);
  return Left === true
    ? `${noAgent}; ${agent} reported that it stops, last heard at ${at}`
    : `${noAgent}; ${agent} was last heard at ${at}`;
}

/** Longer reasons are cut in a headline; the message has all of it. */
export const maxReasonLength = 160;

/** The reason as it follows a title; some titles have a colon of their own. */
export function withReason(kind: string, why: string): string {
  if (kind === 'acknowledged') return ` ${why}`;
  return kind === 'device.flapping' ? ` (${why})` : `: ${why}`;
}
