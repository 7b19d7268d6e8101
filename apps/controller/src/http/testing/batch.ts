import { sql } from 'kysely';
import { z } from 'zod';
import type { Reply, Rest } from '../../api/testing/rest.ts';

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

/**
 * Lets time pass on the clock of these controllers, one step for each answer of their databases: no request believes a database gone, and small
 * steps keep what waits for a request from giving it up.
 */
export async function passTime(
  controllers: readonly [Rest, ...Rest[]],
  ms: number,
  stepMs = 50,
): Promise<void> {
  const [{ clock }] = controllers;
  const ask = () => Promise.all(controllers.map(({ db }) => sql`select 1`.execute(db.kysely)));
  // A request finds an open connection then: to open one takes longer than many steps.
  await Promise.all(Array.from({ length: 6 }, ask));
  for (let passed = 0; passed < ms; passed += stepMs) {
    // The requests under way get the time of several statements, or the time limits of the database would pass first.
    for (let statement = 0; statement < 5; statement += 1) await ask();
    await clock.advance(stepMs);
  }
}
