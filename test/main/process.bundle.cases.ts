/** What breaks a run, a program that does it, and what the run says. */
export const FAULTS = [
  [
    'an empty event loop',
    // No connection leads anywhere, no timer fires, and nothing keeps the process alive.
    'require("node:net").Socket.prototype.connect = function () { return this }; globalThis.setTimeout = () => ({ unref() {} })',
    /^::error .*::The action exited before it finished\. Please report this\.$/m,
  ],
  [
    'a fault of ours',
    'Promise.allSettled = () => { throw new TypeError("a fault of ours") }',
    /^::error .*::The action failed unexpectedly: a fault of ours\. Please report this\.\nTypeError: a fault of ours\n +at /m,
  ],
] as const
