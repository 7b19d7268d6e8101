/** The outcome of a check, by name. The numbers are stored and travel on the wire (docs/result-codes.md). */
export const resultCode = {
  ok: 1,
  timeout: 2, // no answer in time, also host or network unreachable
  protocol: 3, // refused, reset, closed early, unexpected reply, HTTP >= 400 unless expected
  script: 4, // the script reported an error
  name: 5, // name not resolved
  tls: 6,
  expectation: 7, // an expectation of the Options is not met
  login: 8, // login refused
  policy: 9, // refused by the agent's policy
  agent: 10, // the agent's fault: no route at all, silent resolvers, no sockets left, no permission to ping
} as const;

export type ResultCode = (typeof resultCode)[keyof typeof resultCode];

/** `inconclusive`: the check says nothing about the device. */
export type Verdict = 'good' | 'bad' | 'inconclusive';

const verdicts: Readonly<Record<ResultCode, Verdict>> = {
  1: 'good',
  2: 'bad',
  3: 'bad',
  4: 'bad',
  5: 'bad',
  6: 'bad',
  7: 'bad',
  8: 'bad',
  9: 'inconclusive',
  10: 'inconclusive',
};

/** Whether a number, from storage or the wire, is one of the codes. */
export function isResultCode(code: number): code is ResultCode {
  return Object.hasOwn(verdicts, code);
}

/** The verdict of a code. An unknown number is bad, so that it never hides an error. */
export function verdictOf(code: number): Verdict {
  return isResultCode(code) ? verdicts[code] : 'bad';
}

export function isGood(code: number): boolean {
  return verdictOf(code) === 'good';
}

export function isInconclusive(code: number): boolean {
  return verdictOf(code) === 'inconclusive';
}

/** An SQL condition for the codes of a verdict. `column` is an SQL name, never a value from outside. */
export function verdictSql(verdict: Verdict, column: string): string {
  const codes = Object.entries(verdicts).filter(([, found]) => found === verdict);
  return `${column} in (${codes.map(([code]) => code).join(', ')})`;
}
