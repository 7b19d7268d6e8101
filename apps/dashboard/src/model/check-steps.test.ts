import { expect, test } from 'vitest';
import { stepsOfCheck } from './check-steps.ts';

const login = {
  Name: 'Log in',
  Method: 'POST',
  URL: 'https://w.example/login',
  Result: '200 OK',
  Good: true,
  DNSTime: 1,
  ConnectTime: 2,
  SSLTime: 0,
  TTFB: 4,
  TTLB: 3,
};

test('steps follow each other, each with its phases', () => {
  expect(
    stepsOfCheck({ Steps: [login, { Name: 'Read', Result: 'no answer', Good: false, TTFB: 30 }] }),
  ).toEqual({
    totalMs: 40,
    steps: [
      {
        name: 'Log in',
        result: '200 OK',
        isGood: true,
        request: 'POST https://w.example/login',
        startMs: 0,
        tookMs: 10,
        phases: [
          { name: 'dns', ms: 1 },
          { name: 'connect', ms: 2 },
          { name: 'first', ms: 4 },
          { name: 'transfer', ms: 3 },
        ],
      },
      {
        name: 'Read',
        result: 'no answer',
        isGood: false,
        request: '',
        startMs: 10,
        tookMs: 30,
        phases: [{ name: 'first', ms: 30 }],
      },
    ],
  });
});

test.each([{}, { Steps: [] }, { Steps: 'x' }, { Steps: [null, 3] }])('%j has none', (extended) => {
  expect(stepsOfCheck(extended)).toBeUndefined();
});
