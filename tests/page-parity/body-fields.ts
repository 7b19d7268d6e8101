import ts from 'typescript';
import { type PageProgram, symbolOf, visit } from './page-program.ts';

/** Bodies and the objects in them are nested this deep at most. */
const maxDepth = 5;
/** A value is followed through this many names, parameters and calls at most. */
const maxSteps = 40;

/**
 * The fields that an expression of the page can have. A field counts if the page writes it: in an object that the
 * expression is built from, or as a property of a type of the page. Types of the OpenAPI document have all fields, so
 * a field of such a type counts only if an object of the page that has this type sets it.
 */
export function createFieldReader(page: PageProgram): (expression: ts.Expression) => ReadonlySet<string> {
  const { checker, isOfPage } = page;
  const written = writtenProperties(page);

  function fromExpression(
    given: ts.Expression,
    prefix: string,
    trail: readonly ts.Node[],
  ): readonly string[] {
    const node = bare(given);
    if (trail.includes(node) || trail.length > maxSteps || depthOf(prefix) > maxDepth) return [];
    const next = [...trail, node];
    const follow = (part: ts.Expression) => fromExpression(part, prefix, next);
    if (ts.isObjectLiteralExpression(node))
      return node.properties.flatMap((property) => fromProperty(property, prefix, next));
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(follow);
    if (ts.isSpreadElement(node)) return follow(node.expression);
    if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(follow);
    if (ts.isBinaryExpression(node)) return [node.left, node.right].flatMap(follow);
    if (ts.isCallExpression(node)) return fromCall(node, prefix, next);
    if (ts.isIdentifier(node)) return fromName(node, prefix, next);
    return fromType(node, prefix);
  }

  function fromProperty(property: ts.ObjectLiteralElementLike, prefix: string, trail: readonly ts.Node[]) {
    if (ts.isSpreadAssignment(property)) return fromExpression(property.expression, prefix, trail);
    const value = ts.isPropertyAssignment(property)
      ? property.initializer
      : ts.isShorthandPropertyAssignment(property)
        ? property.name
        : undefined;
    return nameTexts(property.name, checker).flatMap((name) => [
      `${prefix}${name}`,
      ...(value === undefined ? [] : fromExpression(value, `${prefix}${name}.`, trail)),
    ]);
  }

  /** The fields of what a function of the page returns; a method of a list returns what its callback returns. */
  function fromCall(node: ts.CallExpression, prefix: string, trail: readonly ts.Node[]): readonly string[] {
    const called = symbolOf(nameNode(node.expression), checker);
    const bodies = (called?.declarations ?? []).filter(isOfPage).flatMap(returnedBy);
    const ofCallbacks = node.arguments.flatMap((argument) => returnedBy(argument));
    const found = [...bodies, ...ofCallbacks].flatMap((part) => fromExpression(part, prefix, trail));
    return [...found, ...fromType(node, prefix)];
  }

  function fromName(node: ts.Identifier, prefix: string, trail: readonly ts.Node[]): readonly string[] {
    const symbol = symbolOf(node, checker);
    const found = (symbol?.declarations ?? []).flatMap((declaration) => {
      if (ts.isVariableDeclaration(declaration) && declaration.initializer !== undefined)
        return fromExpression(declaration.initializer, prefix, trail);
      if (ts.isParameter(declaration)) return fromArguments(declaration, prefix, trail);
      return ts.isBindingElement(declaration) ? fromRest(declaration, prefix, trail) : [];
    });
    return [...found, ...fromType(node, prefix)];
  }

  /** The fields of `rest` in `const { Name, ...rest } = body`. */
  function fromRest(
    element: ts.BindingElement,
    prefix: string,
    trail: readonly ts.Node[],
  ): readonly string[] {
    const { parent: pattern } = element;
    const declared = pattern.parent;
    if (element.dotDotDotToken === undefined || !ts.isVariableDeclaration(declared)) return [];
    if (!ts.isObjectBindingPattern(pattern) || declared.initializer === undefined) return [];
    const taken = pattern.elements.map(
      ({ propertyName, name }) => `${prefix}${(propertyName ?? name).getText()}`,
    );
    return fromExpression(declared.initializer, prefix, trail).filter(
      (field) => !taken.some((name) => field === name || field.startsWith(`${name}.`)),
    );
  }

  /** The fields of what the page passes for a parameter. */
  function fromArguments(parameter: ts.ParameterDeclaration, prefix: string, trail: readonly ts.Node[]) {
    const { parent } = parameter;
    const at = parent.parameters.indexOf(parameter);
    const name = ts.isVariableDeclaration(parent.parent) ? parent.parent.name : parent.name;
    const symbol = name === undefined ? undefined : symbolOf(name, checker);
    const uses = (symbol === undefined ? undefined : page.uses.get(symbol)) ?? [];
    return uses.flatMap((use) => {
      const argument = callOf(use)?.arguments[at];
      return argument === undefined ? [] : fromExpression(argument, prefix, trail);
    });
  }

  function fromType(node: ts.Expression, prefix: string): readonly string[] {
    return ofType(checker.getTypeAtLocation(node), prefix);
  }

  function ofType(type: ts.Type, prefix: string): readonly string[] {
    if (depthOf(prefix) > maxDepth) return [];
    if (type.isUnion()) return type.types.flatMap((part) => ofType(part, prefix));
    const item = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (checker.isArrayLikeType(type)) return item === undefined ? [] : ofType(item, prefix);
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return [];
    return checker.getPropertiesOfType(type).flatMap((property) => {
      const declarations = property.declarations ?? [];
      if (!declarations.some((declaration) => isOfPage(declaration) || written.has(declaration))) return [];
      const inner = ofType(checker.getTypeOfSymbol(property), `${prefix}${property.name}.`);
      return [`${prefix}${property.name}`, ...inner];
    });
  }

  return (expression) => new Set(fromExpression(expression, '', []));
}

/** The properties of types that objects of the page set. */
function writtenProperties({ checker, files }: PageProgram): ReadonlySet<ts.Declaration> {
  const written = new Set<ts.Declaration>();
  for (const file of files)
    visit(file, (node) => {
      if (!ts.isObjectLiteralExpression(node)) return;
      const type = checker.getContextualType(node);
      if (type === undefined) return;
      const parts = type.isUnion() ? type.types : [type];
      for (const property of node.properties) {
        const names = property.name === undefined ? [] : nameTexts(property.name, checker);
        for (const part of parts)
          for (const name of names)
            for (const declaration of checker.getPropertyOfType(part, name)?.declarations ?? [])
              written.add(declaration);
      }
    });
  return written;
}

/** An expression without the parts that do not change its value. */
function bare(node: ts.Expression): ts.Expression {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node)
  )
    return bare(node.expression);
  return node;
}

/** The values that a function returns; none if the node is no function. */
function returnedBy(node: ts.Node): readonly ts.Expression[] {
  const declared = ts.isVariableDeclaration(node) ? node.initializer : node;
  if (declared === undefined || !ts.isFunctionLike(declared) || !('body' in declared)) return [];
  const { body } = declared;
  if (body === undefined) return [];
  if (!ts.isBlock(body)) return [body as ts.Expression];
  const returned: ts.Expression[] = [];
  const search = (part: ts.Node): void => {
    if (ts.isFunctionLike(part)) return;
    if (ts.isReturnStatement(part) && part.expression !== undefined) returned.push(part.expression);
    ts.forEachChild(part, search);
  };
  search(body);
  return returned;
}

const depthOf = (prefix: string) => prefix.split('.').length - 1;
const nameNode = (node: ts.Expression) => (ts.isPropertyAccessExpression(node) ? node.name : node);

/** The names that a property can have: those of a computed one are the literals of its type. */
function nameTexts(name: ts.PropertyName, checker: ts.TypeChecker): readonly string[] {
  if (ts.isIdentifier(name) || ts.isStringLiteral(name)) return [name.text];
  if (!ts.isComputedPropertyName(name)) return [];
  const type = checker.getTypeAtLocation(name.expression);
  return (type.isUnion() ? type.types : [type]).flatMap((part) =>
    part.isStringLiteral() ? [part.value] : [],
  );
}

/** The call of a function, from the name by which it is called. */
function callOf(use: ts.Identifier): ts.CallExpression | undefined {
  const callee = ts.isPropertyAccessExpression(use.parent) && use.parent.name === use ? use.parent : use;
  return ts.isCallExpression(callee.parent) && callee.parent.expression === callee
    ? callee.parent
    : undefined;
}
