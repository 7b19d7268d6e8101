import { expect, test } from 'vitest';
import { intersectSpans, joinSpans, type Span } from './span.ts';

const span = (fromUs: number, toUs: number): Span => ({ fromUs, toUs });

test('spans that touch or overlap are joined, and empty ones are left out', () => {
  expect(joinSpans([span(5, 7), span(0, 2), span(2, 3), span(9, 9)])).toEqual([span(0, 3), span(5, 7)]);
});

test('the common time of two lists is found', () => {
  expect(intersectSpans([span(0, 10), span(20, 30)], [span(5, 25), span(28, 40)])).toEqual([
    span(5, 10),
    span(20, 25),
    span(28, 30),
  ]);
  expect(intersectSpans([span(0, 10)], [])).toEqual([]);
});
