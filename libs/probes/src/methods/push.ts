import { resultCode } from '@vantage/domain';
import { boundedText, isZoneName, readCron } from '@vantage/kernel';
import { z } from 'zod';
import { Failure } from '../contract/failure.ts';
import type { Probe } from '../contract/probe.ts';

const daySeconds = 86_400;

const cron = boundedText(200, 1).superRefine((line, context) => {
  const read = readCron(line);
  if (!read.ok) context.addIssue({ code: 'custom', message: read.fault });
});

const options = z.strictObject({
  Cron: cron
    .optional()
    .describe(
      'The crontab line of the job, such as 30 2 * * *: a call is due at each of its times. Absent: a call is due every Frequency.',
    ),
  Timezone: boundedText(100, 1)
    .refine(isZoneName, 'must be a time zone such as Europe/Berlin')
    .optional()
    .describe("The time zone of Cron. Default: the account's."),
  GraceSeconds: z
    .int()
    .min(1)
    .max(30 * daySeconds)
    .default(300)
    .describe('A call may come this many seconds after its due time.'),
  MaxRunSeconds: z
    .int()
    .min(1)
    .max(30 * daySeconds)
    .optional()
    .describe('A run that a start call began ends within this many seconds. Default: GraceSeconds.'),
});

/** Push: jobs call the controllers (docs/heartbeats.md). The controller uses its Options and URL; no agent runs it. */
export const push: Probe<'Push', typeof options> = {
  method: 'Push',
  purpose:
    'Waits for the calls of a job ([how to set them up](heartbeats.md)). A call that reports success is good; one that is missing at its due time + GraceSeconds is an error.',
  example: { URL: 'push:', ShortName: 'backup-1', Options: { Cron: '30 2 * * *', GraceSeconds: 600 } },
  optionsCase: 'push',
  tracePackets: 'none',
  options,
  secretOptions: [],
  scriptFunctions: {},
  parseTarget(url) {
    if (url !== '' && url !== 'push:')
      return {
        ok: false,
        message: 'the job calls the controller; accepted is push:, or nothing',
      };
    const none = { host: '', port: 0, scheme: 'push', user: undefined, password: undefined, path: '' };
    return { ok: true, target: { ...none, display: 'push:', url: 'push:' } };
  },
  async run() {
    throw new Failure(resultCode.agent, 'agents run no checks of this Method: the job calls the controller');
  },
};
