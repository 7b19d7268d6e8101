// A process that packs old days until it is killed or done: node packer-process.ts DATABASE_URL NOW_US RETENTION_DAYS
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb } from '@vantage/storage';
import { createDayPacker } from '../../apps/controller/src/results/ingest/index.ts';

const [, , url = '', nowUs = '', retentionDays = ''] = process.argv;
const log = createLog('packer', 'silent');
const db = await createDb({ connection: { url }, log });
const clock = createFakeClock(Number(nowUs));
const packer = createDayPacker({
  db,
  clock,
  log,
  afterDays: 8,
  retentionDays: Number(retentionDays),
  isRolledUp: async () => true,
});
process.stdout.write('packs\n');
while (!(await packer.run()));
await db.close();
