import { deviceFormTexts } from './device-form-texts.ts';

/** The schema of an Option in the OpenAPI document. */
export interface OptionSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly allOf?: readonly { readonly pattern?: string }[];
  readonly maxItems?: number;
  readonly examples?: readonly unknown[];
  readonly items?: OptionSchema;
  readonly properties?: Readonly<Record<string, OptionSchema>>;
  readonly additionalProperties?: OptionSchema | boolean;
  readonly propertyNames?: OptionSchema;
}

/** The schemas of the Options of a Method, by name. */
export type MethodSchema = Readonly<Record<string, OptionSchema>>;

const prefix = 'Options';
const outputs = /Output$|^OptionsOf/;

/** The Methods with the schemas of their Options, from the API's OpenAPI document. */
export async function readMethods(): Promise<ReadonlyMap<string, MethodSchema>> {
  const answer = await fetch('/v1.1/openapi.json');
  if (!answer.ok) throw new Error(deviceFormTexts.noMethods(answer.status));
  return methodsIn((await answer.json()) as ApiDocument);
}

interface ApiDocument {
  readonly components: {
    readonly schemas: Readonly<
      Record<string, { readonly properties?: Readonly<Record<string, OptionSchema>> }>
    >;
  };
}

/** The Methods with the schemas of their Options. */
export function methodsIn({ components: { schemas } }: ApiDocument): ReadonlyMap<string, MethodSchema> {
  return new Map(
    Object.entries(schemas)
      .filter(([name]) => name.startsWith(prefix) && !outputs.test(name))
      .map(([name, { properties = {} }]) => [name.slice(prefix.length), properties] as const),
  );
}
