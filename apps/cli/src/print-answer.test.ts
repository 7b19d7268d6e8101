import { Fault } from '@vantage/kernel';
import { expect, test } from 'vitest';
import { render, renderFailure } from './print-answer.ts';

test('rows are an aligned table for people and an array as JSON', () => {
  const rows = [
    { name: 'a', count: 12, gone: null },
    { name: 'longer', count: 3, gone: new Date(0) },
  ];
  expect(render(rows, false)).toBe(
    'name    count  gone\na       12     -\nlonger  3      1970-01-01T00:00:00Z',
  );
  expect(JSON.parse(render(rows, true))).toHaveLength(2);
  expect(render([], false)).toBe('none');
});

test('one thing is a line for each of its fields', () => {
  expect(render({ key_id: 'x', key: 'secret' }, false)).toBe('key_id: x\nkey:    secret');
});

test('a failure is a line for each line of its message, or JSON with a code for programs', () => {
  const fault = new Fault('stop', 'settings', 'one\ntwo');
  expect(renderFailure(fault, false)).toBe('vantage: one\nvantage: two');
  expect(JSON.parse(renderFailure(fault, true))).toEqual({ code: 'settings', message: 'one\ntwo' });
  expect(JSON.parse(renderFailure(new Error('x'), true))).toEqual({ code: 'failed', message: 'x' });
});
