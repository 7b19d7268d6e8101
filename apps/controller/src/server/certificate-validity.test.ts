import { dayMs } from '@vantage/domain';
import { expect, test } from 'vitest';
import { type CertificateState, certificateProblem, certificateState } from './certificate-validity.ts';

const day = dayMs * 1000;
/** A certificate of 90 days. */
const validity = { fromUs: 100 * day, toUs: 190 * day };

test.each<[what: string, atDay: number, state: CertificateState, text: string | undefined]>([
  [
    'before its begin',
    99.9,
    'early',
    'the certificate of the REST port begins on 1970-04-11 00:00 UTC: clients refuse it until then',
  ],
  ['at its begin', 100, 'good', undefined],
  ['two weeks before its end', 176, 'good', undefined],
  ['later than that', 176.1, 'near', 'the certificate of the REST port ends on 1970-07-10 00:00 UTC'],
  [
    'at its end',
    190,
    'ended',
    'the certificate of the REST port ended on 1970-07-10 00:00 UTC: clients refuse it',
  ],
])('a certificate %s', (_what, atDay, state, text) => {
  expect(certificateState(validity, atDay * day)).toBe(state);
  expect(certificateProblem(validity, atDay * day)).toBe(text);
});

test('a certificate of six days is near its end in its last quarter', () => {
  const short = { fromUs: 0, toUs: 6 * day };
  expect([4.4, 4.6].map((atDay) => certificateState(short, atDay * day))).toEqual(['good', 'near']);
});
