import { describe, expect, it } from 'vitest';
import { readForm } from './answer-form.ts';

describe('the form of an answer', () => {
  it.each([
    ['', 'json'],
    ['*/*', 'json'],
    ['application/json', 'json'],
    ['text/csv', 'csv'],
    ['TEXT/CSV; header=present', 'csv'],
    ['application/xml', 'xml'],
    ['text/xml;q=0.4, application/json;q=0.3', 'xml'],
    ['text/csv;q=0.4, application/json', 'json'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['application/*', 'json'],
    ['application/json;q=0, application/*', 'xml'],
    ['text/csv;q=0', 'json'],
    ['image/png', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
  ])('by Accept: %s is %s (RFC 9110, section 12.5.1)', (accept, format) => {
    expect(readForm(new URLSearchParams(), ['json', 'xml', 'csv'], accept).format).toBe(format);
    expect(readForm(new URLSearchParams(), ['json'], accept).format).toBe('json');
    expect(readForm(new URLSearchParams('fmt=xml'), ['json', 'xml', 'csv'], accept).format).toBe('xml');
  });
});
