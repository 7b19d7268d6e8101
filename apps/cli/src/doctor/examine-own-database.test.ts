import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { examineDatabase } from './examine-own-database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-doctor-'));
  return () => rmSync(folder, { recursive: true });
});

test('the replacement of a copied database is named', async () => {
  const from = 'postgres://vantage@db.example/vantage';
  const moved = { from, to: 'embedded', name: 'the embedded database', copyId: 'a' };
  writeFileSync(path.join(folder, 'database-moved.json'), JSON.stringify(moved));
  expect(await examineDatabase(folder, { VANTAGE_DATABASE_URL: from })).toMatchObject([
    { level: 'warning', step: 'database', text: expect.stringContaining('the embedded database is used') },
  ]);
  // The settings no longer name the copied database.
  expect(await examineDatabase(folder, {})).toEqual([]);
});
