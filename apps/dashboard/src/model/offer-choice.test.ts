import { expect, test } from 'vitest';
import {
  entriesOf,
  isInterfaceChosen,
  isValueChosen,
  type OfferedInterface,
  shownInterfaces,
  shownValues,
  withInterface,
  withOfferedValue,
} from './offer-choice.ts';

const port = (Index: number, Name: string, more: Partial<OfferedInterface> = {}): OfferedInterface => ({
  Index,
  Name,
  Alias: '',
  Status: 'Up',
  AdminStatus: 'Up',
  Speed: 1e9,
  InBits: null,
  OutBits: null,
  ...more,
});
const uplink = port(1, 'ge-0/0/1', { Alias: 'Uplink hall 2' });
const all = [
  uplink,
  port(2, 'ge-0/0/2', { Status: 'Down' }),
  port(3, 'stack'),
  port(4, 'stack'),
  port(5, ''),
];

test('a chosen interface is watched by its name, or by its index where the name is empty or not its own', () => {
  expect(withInterface([], uplink, all)).toEqual([{ Name: 'ge-0/0/1' }]);
  expect(all.slice(2).map((each) => withInterface([], each, all))).toEqual([
    [{ Index: 3 }],
    [{ Index: 4 }],
    [{ Index: 5 }],
  ]);
});

test('an interface that is watched already is chosen, however it is named, and is taken out as it is', () => {
  const limits = { Name: 'ge-0/0/2', MaxUtilisation: 80 };
  for (const entry of [{ Name: 'ge-0/0/1' }, { Alias: 'Uplink hall 2' }, { Index: 1 }]) {
    expect(isInterfaceChosen([limits, entry], uplink)).toBe(true);
    expect(withInterface([limits, entry], uplink, all)).toEqual([limits]);
    expect(withInterface([entry], uplink, all)).toBeUndefined();
  }
  expect(isInterfaceChosen([limits], uplink)).toBe(false);
});

test('a chosen value has its object, its label and its unit', () => {
  const cpu = { Name: 'hrProcessorLoad.1', Label: 'CPU 1', Unit: '%', Value: 3, Group: 'Processors' };
  const entry = { Name: 'hrProcessorLoad.1', Label: 'CPU 1', Unit: '%' };
  expect(withOfferedValue([], cpu)).toEqual([entry]);
  expect(withOfferedValue([], { ...cpu, Unit: '' })).toEqual([{ Name: 'hrProcessorLoad.1', Label: 'CPU 1' }]);
  expect(isValueChosen([entry], cpu)).toBe(true);
  expect(withOfferedValue([{ OID: '1.3.6' }, { ...entry, Max: 90 }], cpu)).toEqual([{ OID: '1.3.6' }]);
});

test('a list that somebody is typing is left alone', () => {
  expect([undefined, null, [], [{ Name: 'a' }]].map(entriesOf)).toEqual([[], [], [], [{ Name: 'a' }]]);
  expect(['[{', { Name: 'a' }, ['a']].map(entriesOf)).toEqual([undefined, undefined, undefined]);
});

test('the search finds names, aliases and labels; the filters leave out what is down or has no alias', () => {
  const filter = { search: '', isUpOnly: false, hasAliasOnly: false };
  expect(shownInterfaces(all, { ...filter, search: ' UPLINK ' })).toEqual([uplink]);
  expect(shownInterfaces(all, { ...filter, isUpOnly: true }).map(({ Index }) => Index)).toEqual([1, 3, 4, 5]);
  expect(shownInterfaces(all, { ...filter, hasAliasOnly: true })).toEqual([uplink]);
  const fan = { Name: 'entPhySensorValue.9', Label: 'fan 1', Unit: 'rpm', Value: 1, Group: 'Sensors' };
  expect(shownValues([fan], { ...filter, search: 'FAN' })).toEqual([fan]);
  expect(shownValues([fan], { ...filter, search: 'cpu' })).toEqual([]);
});
