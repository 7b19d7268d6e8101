import type { CallKind } from '@vantage/health';

/** A call as its address says it. */
interface NamedCall {
  readonly token: string;
  readonly kind: CallKind;
  /** Empty: the job names no run. */
  readonly runId: string;
  /** Of the kind `exit`. */
  readonly exitStatus?: number;
}

/** The call, or why it is none: `unknown` has no token, `malformed` a text for the caller. */
export type CallReading =
  | { readonly kind: 'call'; readonly call: NamedCall }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'malformed'; readonly message: string };

const path = /^([0-9a-f]{32})(?:\/([^/]*))?$/;

/** Reads a call from the path after `/push/` and the query. Pure. */
export function readCall(rest: string, query: URLSearchParams): CallReading {
  const [, token, action] = path.exec(rest) ?? [];
  if (token === undefined) return { kind: 'unknown' };
  const runId = query.get('rid') ?? '';
  if (!/^[\w.:-]{0,64}$/.test(runId))
    return { kind: 'malformed', message: 'rid must have 1 to 64 letters, digits, or characters of -_.:' };
  if (action === undefined) return { kind: 'call', call: { token, kind: 'success', runId } };
  if (action === 'start' || action === 'fail' || action === 'log')
    return { kind: 'call', call: { token, kind: action, runId } };
  const exitStatus = /^\d{1,3}$/.test(action) ? Number(action) : Number.NaN;
  if (exitStatus <= 255) return { kind: 'call', call: { token, kind: 'exit', runId, exitStatus } };
  return {
    kind: 'malformed',
    message: 'after the token may follow /start, /fail, /log or an exit status from 0 to 255',
  };
}
