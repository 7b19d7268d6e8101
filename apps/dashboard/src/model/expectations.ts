/** The expected effect of a running change on one thing, until the API has answered. */
export interface ExpectedChange<Facts extends object> {
  readonly id: string;
  /** Undefined: the thing is deleted. */
  readonly facts: Partial<Facts> | undefined;
}

/** Applies expectations to facts, later ones over earlier ones. Facts without an expectation stay the same object. */
export function withExpectations<Facts extends object>(
  known: readonly Facts[],
  idOf: (facts: Facts) => string,
  expectations: readonly ExpectedChange<Facts>[],
): readonly Facts[] {
  if (expectations.length === 0) return known;
  const expected = new Map<string, Partial<Facts> | undefined>();
  for (const { id, facts } of expectations)
    expected.set(id, facts === undefined ? undefined : { ...expected.get(id), ...facts });
  return known.flatMap((facts) => {
    const id = idOf(facts);
    if (!expected.has(id)) return [facts];
    const changes = expected.get(id);
    return changes === undefined ? [] : [{ ...facts, ...changes }];
  });
}
