import { systemClock as clock } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { createAgentTime } from '../clock/agent-time.ts';
import { createHeartbeatSender } from './send-heartbeat.ts';

test('each check counts in one heartbeat: what could not be sent goes with the next', () => {
  const sent: (readonly [number, number])[] = [];
  const link = { isUp: true, takes: true };
  const send = createHeartbeatSender({
    link: {
      get isUp() {
        return link.isUp;
      },
      send(message) {
        if (link.takes && message.case === 'heartbeat')
          sent.push([message.value.checksStarted ?? 0, message.value.checksSkipped ?? 0]);
        return link.takes;
      },
    },
    time: createAgentTime({ clock, upMs: () => clock.monoMs(), wallOffsetUs: 0 }),
    outbox: { records: 0, bytes: 0 },
    coverage: { reportedUs: 0 },
    isLeaving: () => false,
    anchors: () => [],
  });
  const lateness = (started: number, skipped: number) => ({ p50Ms: 1, p99Ms: 2, started, skipped });

  expect(send('', lateness(5, 1))).toBe(true);
  expect(send('')).toBe(true);
  link.takes = false;
  expect(send('', lateness(7, 2))).toBe(false);
  link.isUp = false;
  expect(send('', lateness(1, 4))).toBe(false);
  Object.assign(link, { isUp: true, takes: true });
  expect(send('', lateness(3, 0))).toBe(true);
  expect(send('', lateness(0, 2 ** 33))).toBe(true);
  expect(sent).toEqual([
    [5, 1],
    [0, 0],
    [11, 6],
    [0, 2 ** 32 - 1],
  ]);
});
