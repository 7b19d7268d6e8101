import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyOf, faultsOf, newDraft, optionsOf, trialOf, UnparsedText } from './draft.ts';

const draft = { ...newDraft('https://www.example.org/shop'), tags: 'berlin/rack-3' };

test('a trial has the settings of the draft, without what is not there yet', () => {
  const { Tags, Locations, ...settings } = bodyOf(draft);
  expect(Tags).toEqual(['berlin/rack-3']);
  expect(Locations).toBeNull();
  expect(trialOf(draft, '')).toEqual(settings);
  expect(trialOf({ ...draft, shortName: ' ' }, '')).not.toHaveProperty('ShortName');
});

test.each([
  [{ locations: undefined }, '', undefined],
  [{ locations: ['Oslo', 'Rome'] }, '', 'Oslo'],
  [{ locations: ['Oslo', 'Rome'] }, 'Rome', 'Rome'],
  [{ locations: undefined }, 'Rome', 'Rome'],
])('with %j it is tried from "%s" at %s', (change, from, location) => {
  const body = trialOf({ ...draft, ...change }, from);
  expect(body['Location']).toBe(location);
  expect(body).not.toHaveProperty('Locations');
});

test.each([
  ['', null],
  ['7', 7],
  ['120', 30],
  ['soon', 'soon'],
])('Timeout "%s" is tried with %j', (timeout, tried) => {
  expect(trialOf({ ...draft, timeout }, '')['Timeout']).toBe(tried);
});

test('cleared fields go as null, which sets their defaults', () => {
  const set = { ...draft, timeout: '17', attempts: '5', locations: ['Oslo'] };
  expect(bodyOf(set)).toMatchObject({ Timeout: 17, Attempts: 5, Locations: ['Oslo'] });
  expect(bodyOf(set)).not.toHaveProperty('Retries');
  const cleared = bodyOf({ ...set, timeout: ' ', attempts: '', locations: undefined });
  expect(cleared).toMatchObject({ Timeout: null, Attempts: null, Retries: null, Locations: null });
});

test('an Option that is no JSON is a fault of its field, as long as its Method is chosen', () => {
  const bad = { ...draft, options: { HTTP: { ExpectStatus: new UnparsedText('["201"') } } };
  expect([...faultsOf(bad).keys()]).toEqual(['Options.ExpectStatus']);
  expect(faultsOf({ ...bad, method: 'TCP' }).size).toBe(0);
  expect(faultsOf(draft).size).toBe(0);
});

test('other Methods on the way change no Options', () => {
  const method = fc.constantFrom('HTTP', 'TCP', 'DNS');
  const step = fc.record({ method, name: fc.constantFrom('A', 'B'), value: fc.integer() });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let form = draft;
      const last = new Map<string, Record<string, number>>();
      for (const { method: chosen, name, value } of steps) {
        form = { ...form, method: chosen };
        form = { ...form, options: { ...form.options, [chosen]: { ...optionsOf(form), [name]: value } } };
        last.set(chosen, { ...last.get(chosen), [name]: value });
      }
      for (const [chosen, options] of last)
        expect(bodyOf({ ...form, method: chosen })['Options']).toEqual(options);
    }),
  );
});
