import { expect, test } from 'vitest';
import { naturally } from './natural-order.ts';

test('numbers in names are counted, and capitals do not matter', () => {
  expect(naturally(['rack 10', 'Rack 2', 'rack 1/b', 'rack 1/a', 'cellar', '10.0.0.10', '10.0.0.9'])).toEqual(
    ['10.0.0.9', '10.0.0.10', 'cellar', 'rack 1/a', 'rack 1/b', 'Rack 2', 'rack 10'],
  );
});
