import { readFileSync } from 'node:fs';
import { formatNames } from '@vantage/imports/formats';
import { withFile } from '@vantage/imports/testing';
import { describe, expect, it } from 'vitest';
import { runVantage } from '../testing/run-vantage.ts';

const list = 'Name,URL\nShop,https://shop.example.org/\nBroken,no address at all\n';

describe('vantage import', () => {
  it('writes the file to standard output or to a file, the same each time, and reports on standard error', async () => {
    await withFile(list, async (file, folder) => {
      const first = await runVantage(['import', 'csv', file], {});
      expect(first.code).toBe(0);
      expect(first.out).toBe(
        'source: import/csv\ndevices:\n  - Key: Shop\n    Method: HTTP\n    URL: https://shop.example.org/\n    ShortName: Shop\n    FullName: Shop\n',
      );
      expect(first.err).toContain('csv: 2 rows read, 1 became devices, 1 not carried over.');
      expect(first.err).toContain('"Broken" (line 3): URL "no address at all" is not accepted');
      const second = await runVantage(['import', 'csv', '-', '-o', `${folder}/out.yaml`], {}, list);
      expect([second.code, second.out]).toEqual([0, '']);
      expect(readFileSync(`${folder}/out.yaml`, 'utf8')).toBe(first.out);
    });
  });

  it('--strict writes nothing and ends with 1; a file that cannot be used, and a wrong format, end with 2', async () => {
    await withFile(list, async (file) => {
      const strict = await runVantage(['import', 'csv', file, '--strict'], {});
      expect([strict.code, strict.out]).toEqual([1, '']);
      const missing = await runVantage(['import', 'csv', `${file}.gone`], {});
      expect([missing.code, missing.out]).toEqual([2, '']);
      expect(missing.err).toMatch(/sample\.gone cannot be read: ENOENT/);
      const wrong = await runVantage(['import', 'excel', file], {});
      expect(wrong.code).toBe(2);
      for (const name of Object.keys(formatNames)) expect(wrong.err).toContain(name);
    });
  });
});
