// gui/tests/node.d.ts - the little of node's modules that the tests use.
//
// SPDX-License-Identifier: Apache-2.0
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    rejects(promise: Promise<unknown>, expected: RegExp): Promise<void>;
  };
  export default assert;
}
