import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Copy, DockerfileParser, JSONInstruction } from 'dockerfile-ast';
import { repositoryRoot } from './system.ts';

/** One instruction of a Dockerfile, as far as a host can do what it says. */
export type Step =
  | {
      readonly kind: 'copy';
      readonly from: string | undefined;
      readonly sources: readonly string[];
      readonly to: string;
    }
  | { readonly kind: 'run'; readonly line: string }
  | { readonly kind: 'user' | 'workdir' | 'volume'; readonly value: string }
  | { readonly kind: 'env'; readonly pairs: readonly string[] }
  | { readonly kind: 'cmd'; readonly argv: readonly string[] }
  | { readonly kind: 'from'; readonly image: string };

/** The steps of a Dockerfile of the repository. Throws on an instruction that no Step has. */
export function readDockerfile(file: string): readonly Step[] {
  const parsed = DockerfileParser.parse(readFileSync(path.join(repositoryRoot, file), 'utf8'));
  return parsed.getInstructions().flatMap((instruction): Step[] => {
    const values = instruction.getArguments().map((each) => each.getValue());
    const [first = ''] = values;
    switch (instruction.getKeyword()) {
      case 'FROM':
        return [{ kind: 'from', image: first }];
      case 'COPY': {
        const from = instruction instanceof Copy ? instruction.getFromFlag()?.getValue() : undefined;
        return [
          { kind: 'copy', from: from ?? undefined, sources: values.slice(0, -1), to: values.at(-1) ?? '' },
        ];
      }
      case 'RUN':
        return [{ kind: 'run', line: instruction.getArgumentsContent() ?? '' }];
      case 'USER':
        return [{ kind: 'user', value: first }];
      case 'WORKDIR':
        return [{ kind: 'workdir', value: first }];
      case 'VOLUME':
        return [{ kind: 'volume', value: first }];
      case 'ENV':
        return [{ kind: 'env', pairs: values }];
      case 'CMD': {
        if (!(instruction instanceof JSONInstruction))
          throw new Error(`the CMD of ${file} is no list of texts`);
        const argv = instruction.getJSONStrings().map((each) => each.getJSONValue());
        return [{ kind: 'cmd', argv }];
      }
      case 'ARG':
      case 'EXPOSE':
        return [];
      default:
        throw new Error(`${file} has ${instruction.getKeyword()}, which no step stands for`);
    }
  });
}
