import type { Json } from '@vantage/domain';
import { propertyRuns } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlanOptions } from './apply-plan.ts';
import { planOf } from './make-plan.ts';
import type { FileEntry, ManagedKind } from './managed-kinds.ts';
import { planData } from './plan-text.ts';
import { createModelAccount } from './testing/model-account.ts';

const entryOf = (kind: ManagedKind, key: string, settings: Readonly<Record<string, Json>>): FileEntry => ({
  kind,
  key,
  settings,
  at: (field = '') => `${kind} ${key} ${field}`,
});

const some = <T>(values: readonly T[], each: (value: T) => fc.Arbitrary<FileEntry>) =>
  fc.subarray([...values]).chain((chosen) => fc.tuple(...chosen.map(each)));
const optional = <T extends Record<string, fc.Arbitrary<Json>>>(fields: T) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Readonly<Record<string, Json>>>;

const tags = some(['t1', 't2'], (key) =>
  fc.constantFrom('berlin', 'oslo').map((place) => entryOf('tag', key, { Name: `${place}/${key}` })),
);
const contacts = some(['c1', 'c2'], (key) =>
  optional({ Shadow: fc.boolean(), Notify: fc.constant(['device.down']) }).map((more) =>
    entryOf('contact', key, { Name: `ops ${key}`, Type: 'email', Address: `${key}@example.org`, ...more }),
  ),
);

/** A set of resources whose references all exist. */
const fileOf = fc.tuple(tags, contacts).chain(([ownTags, ownContacts]) => {
  const schedules = some(ownContacts.length === 0 ? [] : ['n1'], (key) =>
    fc.subarray(ownContacts, { minLength: 1 }).map((chosen) =>
      entryOf('nschedule', key, {
        Name: key,
        Steps: [{ DelayMinutes: 0, Contacts: chosen.map((each) => each.key), From: null }],
      }),
    ),
  );
  return schedules.chain((ownSchedules) => {
    const devices = some(['d1', 'd2', 'd3'], (key) =>
      fc
        .record({
          more: optional({
            FullName: fc.constantFrom('Router', 'Zürich'),
            Frequency: fc.constantFrom(1, 5, 60),
            FrequencySeconds: fc.constantFrom(5, 30, null),
            Attempts: fc.constantFrom(1, 3),
            Retries: fc.constantFrom(2, 4),
            Enabled: fc.boolean(),
            Locations: fc.constantFrom([], ['local'], null),
            Options: fc.constantFrom({ Count: 3 }, {}, null),
          }),
          tagged: fc.subarray([...ownTags]),
          schedule: fc.constantFrom(null, ...ownSchedules.map((each) => each.key)),
        })
        .map(({ more, tagged, schedule }) =>
          entryOf('device', key, {
            Method: 'PING',
            URL: '192.0.2.1',
            ShortName: key,
            ...more,
            Tags: tagged.map(({ key: tag, settings }, at) => (at === 0 ? tag : (settings['Name'] ?? tag))),
            nschedule_id: schedule,
          }),
        ),
    );
    return devices.map((ownDevices) => {
      // Each device may be behind the one before it.
      const chained = ownDevices.map((each, at) => {
        const master = ownDevices[at - 1];
        return master === undefined || at % 2 === 0
          ? each
          : entryOf('device', each.key, { ...each.settings, device_master_id: master.key });
      });
      return [...chained, ...ownSchedules, ...ownContacts, ...ownTags];
    });
  });
});

const options: PlanOptions = { source: 'net', prune: 'delete', isAdopting: false, isSendingSecrets: false };

test('from any state it leads to the file, and a second run plans nothing', () => {
  fc.assert(
    fc.property(
      fileOf,
      fileOf,
      fc.array(fc.tuple(fc.nat(20), fc.constantFrom('Timeout', 'Enabled', 'Shadow'), fc.boolean())),
      (first, second, edits) => {
        const model = createModelAccount();
        model.apply(planOf(first, model.account(), options).steps);
        for (const [at, field, value] of edits) {
          const resource = model.account().resources[at];
          if (resource !== undefined && field in resource.settings)
            model.edit(resource.id, field, field === 'Timeout' ? Number(value) + 7 : value);
        }
        const plan = planOf(second, model.account(), options);
        expect(plan.problems).toEqual([]);
        model.apply(plan.steps);
        const own = model.account().resources.filter(({ source }) => source === 'net');
        expect(own.map(({ kind, key }) => `${kind} ${key}`).sort()).toEqual(
          second.map(({ kind, key }) => `${kind} ${key}`).sort(),
        );
        const again = planOf(second, model.account(), options);
        expect({ steps: again.steps, problems: again.problems }).toEqual({ steps: [], problems: [] });
        expect(again.unchanged).toBe(second.length);
        // The order of the file does not matter.
        expect(planOf([...second].reverse(), model.account(), options).steps).toEqual([]);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

const contact = (address: string): FileEntry =>
  entryOf('contact', 'hook', { Name: 'Hook', Type: 'slack', Address: address, Secret: 'whsec_c2VjcmV0' });

test('credentials of contacts are neither compared nor printed, and a mask is accepted only where it is shown', () => {
  const url = 'https://hooks.slack.com/services/T00/B00/secretsecret';
  const model = createModelAccount();
  const plan = planOf([contact(url)], model.account(), options);
  expect(plan.problems).toEqual([]);
  expect(plan.steps).toMatchObject([{ body: { Address: url, Secret: 'whsec_c2VjcmV0' } }]);
  expect(JSON.stringify(planData(plan))).not.toMatch(/secretsecret|c2VjcmV0/);
  model.apply(plan.steps);
  const hook = model.account().resources.find(({ kind }) => kind === 'contact');
  const masked = 'https://hooks.slack.com/services/T00/B00/***';
  model.edit(hook?.id ?? '', 'Address', masked); // as the API shows it
  const same = planOf([contact(url)], model.account(), options);
  expect(same).toMatchObject({ steps: [], problems: [], unchanged: 1 });
  expect(planOf([contact(masked)], model.account(), options)).toMatchObject({ steps: [], problems: [] });
  const nowhere = planOf([contact(masked)], createModelAccount().account(), options);
  expect(nowhere.problems.map(({ text }) => text)).toEqual([expect.stringContaining('Address has the mask')]);
  const again = planOf([contact(url)], model.account(), { ...options, isSendingSecrets: true });
  expect(again.steps).toMatchObject([{ verb: 'change', body: { Secret: 'whsec_c2VjcmV0' } }]);
});
