import { expect, test } from 'vitest';
import {
  acknowledgeableKinds,
  alertKinds,
  deviceStateKinds,
  kindsOfLocation,
  momentKinds,
  severalKinds,
  turnOf,
} from './alert-kind.ts';

/** The kinds about these subjects (`device` of `device.down`) whose messages begin something, end it, or do neither. */
function kindsAbout(subjects: readonly string[] | 'any', ...turns: readonly ReturnType<typeof turnOf>[]) {
  return alertKinds
    .filter((kind) => subjects === 'any' || subjects.includes(kind.split('.')[0] ?? ''))
    .filter((kind) => turns.includes(turnOf(kind)));
}

test('what follows from a kind fits its subject, and whether it begins something, ends it, or is over at once', () => {
  expect([...deviceStateKinds]).toEqual(kindsAbout(['device'], 'begins', 'ends'));
  expect([...kindsOfLocation]).toEqual(kindsAbout(['location', 'anchor'], 'begins'));
  expect([...acknowledgeableKinds]).toEqual(
    kindsAbout(['device', 'interface', 'location', 'anchor'], 'begins'),
  );
  expect([...momentKinds]).toEqual(kindsAbout('any', undefined));
  expect([...severalKinds]).toEqual(kindsAbout(['certificate', 'agent'], undefined));
  expect(turnOf('device.melted')).toBeUndefined();
});
