// In the place of modules of which a run uses nothing: see scripts/build.ts.
exports.CacheStorage = class {}
exports.HttpClient = class { getAgent() {} getAgentDispatcher() {} }
