import { createTestDatabase } from '@vantage/testing/database';
import { type StartOptions, type System, startSystem } from './system.ts';

/**
 * Starts `vantage up` on a test database of the run's PostgreSQL, which costs neither a cluster nor migrations. Tests
 * of the embedded database or of a first start use `startSystem`.
 */
export async function startSystemOnDatabase(options: StartOptions = {}): Promise<System> {
  await using held = new AsyncDisposableStack();
  const database = held.use(await createTestDatabase());
  const system = held.use(
    await startSystem({ ...options, env: { ...options.env, VANTAGE_DATABASE_URL: database.url } }),
  );
  const owned = held.move();
  return { ...system, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
