import { sql } from 'kysely';
import { z } from 'zod';
import type { Reply } from './http-client.ts';
import type { RestFixture } from './rest-fixture.ts';

const shape = z.object({ Results: z.array(z.object({ Status: z.int(), Body: z.unknown() })) });

/** The results of a batch. Throws where the answer has none. */
export function resultsOf({ json }: Reply): readonly { readonly Status: number; readonly Body: unknown }[] {
  return shape.parse(json).Results;
}

/** The code of an answer's body; 200 where it has none. */
export function codeOf(body: unknown): number {
  return z.object({ code: z.int() }).safeParse(body).data?.code ?? 200;
}

/** `codeOf` for each result of a batch. */
export function codesOf(reply: Reply): readonly number[] {
  return resultsOf(reply).map(({ Body }) => codeOf(Body));
}

/** An operation of a batch. */
export function operation(Method: string, Path: string, Body?: object): object {
  return { Method, Path, ...(Body === undefined ? {} : { Body }) };
}

/** Connections of a controller of a test, see `poolSize` of db.ts. */
const connections = 10;
/** Every connection answers once in this many steps: no question may wait as long as requests do. */
const stepsARound = 10;

/** Waits until every connection of the pool answered, also one that another question holds at this moment. */
async function allAnswer({ db }: RestFixture): Promise<void> {
  const answered = new Set<number>();
  const ask = async () => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db.kysely);
    answered.add(rows[0]?.pid ?? 0);
  };
  // A transaction under way may keep one for longer.
  for (let round = 0; round < 10 && answered.size < connections; round += 1)
    await Promise.all(Array.from({ length: connections }, ask));
}

/**
 * Lets time pass on the clock of these controllers no faster than their databases answer: no request believes a
 * database gone on a busy machine, and small steps keep what waits for a request from giving it up.
 */
export async function passTime(
  controllers: readonly [RestFixture, ...RestFixture[]],
  ms: number,
  stepMs = 50,
): Promise<void> {
  const [{ clock }] = controllers;
  for (let passed = 0; passed < ms; passed += stepMs) {
    if (passed % (stepsARound * stepMs) === 0) await Promise.all(controllers.map(allAnswer));
    else await Promise.all(controllers.map(({ db }) => sql`select 1`.execute(db.kysely)));
    await clock.advance(stepMs);
  }
}
