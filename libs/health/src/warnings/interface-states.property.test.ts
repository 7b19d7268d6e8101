import { minuteUs } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type InterfaceChange,
  type InterfaceState,
  type ReportedInterface,
  stepInterfaces,
} from './interface-states.ts';

type Status = ReportedInterface['status'];

/** A check: when it ran, and what it reports of each interface; undefined where that is not watched. */
interface Check {
  readonly atUs: number;
  readonly statuses: readonly (Status | undefined)[];
}

const names = ['Gi1/0/1', 'Gi1/0/2', 'uplink'];

const statuses = fc.option(fc.constantFrom<Status>('up', 'up', 'up', 'down', 'down', 'missing', 'neither'), {
  freq: 12,
  nil: undefined,
});
const histories = fc
  .array(
    fc.record({
      // From a retry a second later to an hour without an answer of the device.
      afterS: fc.constantFrom(1, 60, 60, 60, 300, 3_600),
      statuses: fc.tuple(...names.map(() => statuses)),
    }),
    { maxLength: 80, size: 'max' },
  )
  .map((checks) => {
    let atUs = 1e15;
    return checks.map(({ afterS, statuses: reported }): Check => {
      atUs += afterS * 1e6;
      return { atUs, statuses: reported };
    });
  });

/** The changes of one interface by its whole history at each check, without a state. */
function oracle(checks: readonly Check[], at: number): readonly string[] {
  const downs: number[] = [];
  const events: string[] = [];
  let isDown = false;
  let begin = 0;
  checks.forEach((check, index) => {
    const status = check.statuses[at];
    if (status === undefined) {
      if (isDown) events.push(`unwatched ${check.atUs}`);
      isDown = false;
      begin = index + 1;
      downs.length = 0;
      return;
    }
    const seen = checks
      .slice(begin, index + 1)
      .flatMap(({ statuses: all }) => all[at] ?? [])
      .filter((each) => each !== 'neither');
    if (status === 'neither') return;
    const last = seen.slice(-2);
    const isGone = last.length === 2 && last.every((each) => each === 'missing');
    if (!isDown && (status === 'down' || isGone)) {
      isDown = true;
      downs.push(check.atUs);
      events.push(`down ${check.atUs}`);
    } else if (isDown && status === 'up') {
      const downUs = downs.at(-1) ?? 0;
      const isFlapping = downs.filter((us) => us > downUs - 30 * minuteUs).length >= 3;
      if (isFlapping && !(seen.length >= 5 && seen.slice(-5).every((each) => each === 'up'))) return;
      isDown = false;
      events.push(`up ${check.atUs}`);
    }
  });
  return events;
}

function run(
  checks: readonly Check[],
  restart: (state: readonly InterfaceState[]) => readonly InterfaceState[],
) {
  let state: readonly InterfaceState[] = [];
  const changes: { readonly atUs: number; readonly change: InterfaceChange }[] = [];
  for (const { atUs, statuses: reported } of checks) {
    const reports = reported.flatMap((status, at): ReportedInterface[] => {
      const key = names[at];
      return status === undefined || key === undefined ? [] : [{ key, name: key, alias: null, status }];
    });
    const step = stepInterfaces(state, reports, atUs);
    changes.push(...step.changes.map((change) => ({ atUs, change })));
    state = restart(step.after);
  }
  return { changes, state };
}

const same = (state: readonly InterfaceState[]) => state;

test('property: the changes of each interface are those that its whole history gives', () => {
  fc.assert(
    fc.property(histories, (checks) => {
      const { changes } = run(checks, same);
      for (const [at, name] of names.entries()) {
        const own = changes.filter(({ change }) => change.key === name);
        expect(own.map(({ atUs, change }) => `${change.kind} ${atUs}`)).toEqual(oracle(checks, at));
      }
    }),
    { numRuns: propertyRuns(200) },
  );
});

test('property: Down and its end alternate, and flapping slows them down', () => {
  fc.assert(
    fc.property(histories, (checks) => {
      const regular = checks.map((check, at) => ({
        statuses: check.statuses.map((status) => status ?? 'up'),
        atUs: 1e15 + at * minuteUs,
      }));
      for (const history of [checks, regular]) {
        const { changes } = run(history, same);
        for (const name of names) {
          const kinds = changes.filter(({ change }) => change.key === name).map(({ change }) => change.kind);
          expect(kinds.every((kind, at) => (kind === 'down') === (at % 2 === 0))).toBe(true);
        }
      }
      const { changes } = run(regular, same);
      for (const { atUs, change } of changes) {
        const before = changes.filter(
          (other) => other.change.key === change.key && other.change.kind === 'down' && other.atUs <= atUs,
        );
        // The third one waits for five reports of Up, so 30 minutes have two quick ones and one in 6 minutes.
        const recent = before.filter((other) => other.atUs > atUs - 30 * minuteUs);
        expect(recent.length).toBeLessThanOrEqual(2 + Math.ceil(30 / 6));
      }
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('property: a controller that starts again between any two checks changes nothing', () => {
  fc.assert(
    fc.property(histories, (checks) => {
      const stored = run(checks, (state) => JSON.parse(JSON.stringify(state)));
      expect(stored).toEqual(run(checks, same));
    }),
    { numRuns: propertyRuns(50) },
  );
});

test('interfaces that are up have no state, so their checks write nothing', () => {
  const reports = names.map((name): ReportedInterface => ({ key: name, name, alias: 'x', status: 'up' }));
  const before: readonly InterfaceState[] = [];
  expect(stepInterfaces(before, reports, 1e15)).toEqual({ after: [], changes: [] });
  expect(stepInterfaces(before, reports, 1e15).after).toBe(before);
});

test('a change has the name and alias of the interface, when it went down, and how often lately', () => {
  const report = (status: Status, alias: string | null = 'uplink hall 2'): readonly ReportedInterface[] => [
    { key: 'uplink hall 2', name: status === 'missing' ? 'uplink hall 2' : 'Gi1/0/17', alias, status },
  ];
  const first = stepInterfaces([], report('down'), 1e15);
  const about = { key: 'uplink hall 2', name: 'Gi1/0/17', alias: 'uplink hall 2' };
  expect(first.changes).toEqual([
    { kind: 'down', ...about, sinceUs: 1e15, firstUs: 1e15, downs: 1, isMissing: false },
  ]);
  const gone = stepInterfaces(first.after, report('missing', null), 1e15 + minuteUs);
  expect(gone).toEqual({ after: first.after, changes: [] });
  const up = stepInterfaces(gone.after, report('up'), 1e15 + 2 * minuteUs);
  expect(up.changes).toMatchObject([{ kind: 'up', ...about, sinceUs: 1e15 }]);
  const again = stepInterfaces(up.after, report('down'), 1e15 + 3 * minuteUs);
  expect(again.changes).toMatchObject([{ downs: 2, firstUs: 1e15, sinceUs: 1e15 + 3 * minuteUs }]);
});
