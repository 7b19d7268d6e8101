import { anyCharacter } from '@vantage/kernel/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodyTypes, escapeFor, fillTemplate, templateFault } from './message-template.ts';

const filled = (template: string, type: (typeof bodyTypes)[number], value: string) =>
  fillTemplate(template, type, () => value)
    .map((part) => ('text' in part ? part.text : `<${part.late}>`))
    .join('');

test('a JSON string, a form value and an XML text hold any value, and nothing else of the body changes', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (value) => {
      const json: unknown = JSON.parse(filled('{"a": "{{Text}}", "b": 1}', 'application/json', value));
      expect(json).toEqual({ a: value, b: 1 });
      const form = new URLSearchParams(filled('a={{Text}}&b=1', 'application/x-www-form-urlencoded', value));
      expect([...form]).toEqual([
        ['a', value.toWellFormed()],
        ['b', '1'],
      ]);
      expect(filled('<a b="{{Text}}"/>', 'application/xml', value).slice(6, -3)).not.toMatch(/[<>"']/);
    }),
  );
});

test('a value that contains a name is not filled again, and the secret is not part of what is composed', () => {
  const parts = fillTemplate(
    '{"t": "{{Text}}", "key": "{{ Secret }}"}',
    'application/json',
    () => '{{Secret}}',
  );
  expect(parts).toEqual([
    { text: '{"t": "' },
    { text: '{{Secret}}' },
    { text: '", "key": "' },
    { late: 'Secret' },
    { text: '"}' },
  ]);
});

test.each(bodyTypes)('%s has an escape', (type) => {
  expect(escapeFor(type, 'a')).toBe('a');
});

test.each<[template: string, fault: string | null]>([
  ['{"text": "{{Text}}", "since": "{{Since}}"}', null],
  ['{"text": {{Text}}}', 'is not JSON when its names are filled'],
  ['{"text": "{{text}}"}', 'has the unknown name {{text}}; known are {{Kind}}, {{Title}}'],
  ['{"text": "{{}}"}', 'has the unknown name {{}}'],
])('the JSON template %s: %s', (template, fault) => {
  if (fault === null) expect(templateFault(template, 'application/json')).toBeNull();
  else expect(templateFault(template, 'application/json')).toContain(fault);
});
