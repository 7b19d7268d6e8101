import type { Clock } from '@vantage/kernel';
import type { OuterReply, OuterRoute } from '@vantage/rest-kit/outer-routes';
import { type CallIntake, maxBodyBytes } from './call-intake.ts';
import { readCall } from './read-call.ts';

/** The path of calls, outside of `/v1.1`. */
export const pushPath = '/push/';

const maxUserAgent = 200;

/** Takes the calls of jobs, which have no key but the token of their device. */
export function pushRoutes({
  intake,
  clock,
}: {
  readonly intake: CallIntake;
  readonly clock: Clock;
}): readonly OuterRoute[] {
  return [
    {
      path: pushPath,
      needsKey: 'token',
      async run({ rest, query, address, userAgent, readBody }) {
        const reading = readCall(rest, query);
        if (reading.kind === 'malformed') return reply(400, reading.message);
        const { call } = reading.kind === 'call' ? reading : { call: undefined };
        // A text that is no token is a guess like any other.
        const { token, ...said } = call ?? { token: rest, kind: 'success' as const, runId: '' };
        const body = (await readBody(maxBodyBytes)).toString('utf8').replaceAll('\0', '');
        const words = { ...said, address, userAgent: userAgent.slice(0, maxUserAgent), body };
        const answer = await intake.take({ ...words, token, atUs: clock.nowUs() });
        switch (answer.kind) {
          case 'stored':
            return reply(200, 'OK');
          case 'unknown':
            return reply(404, 'There is no device with this token.');
          case 'wait':
            return { ...reply(429, 'Too many calls.'), headers: { 'Retry-After': String(answer.seconds) } };
          case 'failed':
            return {
              ...reply(503, 'The call could not be stored; repeat it.'),
              headers: { 'Retry-After': '2' },
            };
        }
      },
    },
  ];
}

function reply(status: OuterReply['status'], text: string): OuterReply {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n` };
}
